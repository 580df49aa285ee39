import { createCache, extractStyle, StyleProvider } from '@ant-design/cssinjs'
import * as antd from 'antd'
import { type ComponentType, createElement } from 'react'
import { renderToString } from 'react-dom/server'

type Component = ComponentType<Record<string, unknown>>

/** Every component of antd that the pages use, and what these show within themselves. */
export const antdComponents = {
  Button: [antd.Button],
  Checkbox: [antd.Checkbox, antd.Checkbox.Group],
  Collapse: [antd.Collapse],
  Empty: [antd.Empty],
  Form: [antd.Form, antd.Form.Item],
  Input: [antd.Input, antd.Input.TextArea, antd.Input.Password, antd.Input.Search, antd.Input.OTP],
  InputNumber: [antd.InputNumber],
  Modal: [antd.Modal, panelOf(antd.Modal)],
  Radio: [antd.Radio, antd.Radio.Group],
  Segmented: [antd.Segmented],
  Select: [antd.Select],
  Switch: [antd.Switch],
  notification: [panelOf(antd.notification)],
} as unknown as Record<string, Component[]>

/** antd's own way to a dialog or a notification that stands in the page: on a server the others render nothing. */
function panelOf(part: object): unknown {
  return (part as Record<string, unknown>)._InternalPanelDoNotUseOrYouWillBeFired
}

/**
 * The style sheet of `antdComponents`, with the tokens of the theme as variables, which antd sets in the browser. Made when the pages are built: in a phone's
 * browser antd takes longer to make it than the page takes for all else.
 */
export function antdStyles(): string {
  const cache = createCache()
  const shown = Object.values(antdComponents)
    .flat()
    .map((component, key) => createElement(component, { key, options: [] }))
  renderToString(createElement(StyleProvider, { cache }, shown))
  return extractStyle(cache, { plain: true, types: 'style' })
}
