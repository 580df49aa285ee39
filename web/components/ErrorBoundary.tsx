import { Component, type ReactNode } from 'react'
import { CrashView } from './CrashView.tsx'

/** Replaces a page that has crashed by a message with buttons to reload or leave. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    return this.state.failed ? <CrashView /> : this.props.children
  }
}
