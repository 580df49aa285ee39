import { start } from '../start.ts'

const sheets = [
  { x: 171, tilt: 12, fill: '#c2c0e7' },
  { x: 181, tilt: 0, fill: '#ffffff' },
  { x: 191, tilt: -12, fill: '#f5c24b' },
  { x: 201, tilt: -25, fill: '#7d76e8' },
]

interface Props {
  /** The number of sheets of paper in its bill: 0 to 4. */
  files?: number
  asleep?: boolean
  /** Must be unique on the page. */
  className: string
}

/**
 * A picture of the product's bird, with or without files in its bill, awake or asleep. Decoration
 * only; nothing if the administrator has turned it off.
 */
export function Razorbill({ files = 0, asleep = false, className }: Props) {
  if (start.settings?.['general.showBird'] === false) return null
  const clip = `razorbill-${className}`
  return (
    <svg className={className} viewBox="0 0 240 210" aria-hidden="true">
      <clipPath id={clip}>
        <path d="M0 0h240v106h-22a100 100 0 0 1-200 0H0z" />
      </clipPath>
      <circle className="razorbill-disc" cx="118" cy="106" r="100" />
      <g clipPath={`url(#${clip})`}>
        <path fill="#fff" d="M86 210c0-34 12-54 42-68 16-8 26-14 32-20 16 24 26 52 26 88z" />
        <path fill="#dcdaf0" d="M160 122c16 24 26 52 26 88h-16c2-34-4-60-18-82z" />
        <path
          className="razorbill-body"
          fill="#14111d"
          d="M18 210C8 130 30 58 88 46c32-6 58 6 68 28 6 20 6 40 0 54-6 12-18 20-30 26-22 10-32 28-32 56z"
        />
      </g>
      {sheets.slice(0, files).map(({ x, tilt, fill }) => (
        <g key={x} transform={`rotate(${tilt} ${x} 104)`}>
          <rect x={x - 15} y="112" width="30" height="46" rx="4" fill={fill} stroke="#14111d" strokeWidth="1.500" />
          <path stroke="#14111d" strokeOpacity=".35" strokeWidth="2.500" strokeLinecap="round" d={`M${x - 8} 136h16m-16 7h16m-16 7h9`} />
        </g>
      ))}
      <path className="razorbill-body" fill="#14111d" d="M150 66c30-4 58 12 65 40 3 11-1 19-10 20-16 1-32-4-50 2z" />
      <path fill="none" stroke="#4a4560" strokeWidth="2" strokeLinecap="round" d="M206 111c-16 0-32-3-52 1" />
      <path fill="none" stroke="#fff" strokeWidth="4.500" strokeLinecap="round" d="M189 77c-4 14-5 30-3 45" />
      <path fill="none" stroke="#fff" strokeWidth="3" strokeLinecap="round" d="m160 78-30 5" />
      {asleep ? (
        <path fill="none" stroke="#fff" strokeWidth="3" strokeLinecap="round" d="M112 94c5 5 12 5 17 0" />
      ) : (
        <>
          <circle cx="121" cy="92" r="7" fill="#fff" />
          <circle cx="122.500" cy="92" r="4" fill="#14111d" />
        </>
      )}
    </svg>
  )
}
