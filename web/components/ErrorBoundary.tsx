import { Component, type ReactNode } from 'react'
import { CrashView } from './CrashView.tsx'

/** Shows that a page has crashed in place of it, with a way out. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    return this.state.failed ? <CrashView /> : this.props.children
  }
}
