import { Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { type ControlProps, described, noAutofill } from './control.ts'

const shape = /^#[0-9a-f]{6}$/i
const productColor = '#4940de' // as in styles.css

/** The field of a color: its code, and the browser's color picker. */
export function ColorControl(props: ControlProps) {
  const { t } = useTranslation()
  const value = String(props.value)
  return (
    <div className="color-control line">
      <input
        type="color"
        aria-label={t('config.pickColor')}
        value={shape.test(value) ? value.toLowerCase() : productColor}
        onChange={(event) => props.onChange(event.target.value)}
      />
      <Input
        {...described(props)}
        {...noAutofill}
        value={value}
        maxLength={7}
        placeholder={productColor}
        dir="ltr"
        onChange={(event) => props.onChange(event.target.value)}
      />
    </div>
  )
}
