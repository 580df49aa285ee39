/** Strokes on a 24 × 24 grid, of our own drawing. */
const paths = {
  archive: 'M4 4h16v4H4zM5 8v12h14V8M10 12h4',
  audio:
    'M9 18V6l10-2v12M9 18a2.500 2.500 0 1 1-2.500-2.500A2.500 2.500 0 0 1 9 18zM19 16a2.500 2.500 0 1 1-2.500-2.500A2.500 2.500 0 0 1 19 16z',
  back: 'M19 12H5m6-6-6 6 6 6',
  check: 'm5 12.500 4.500 4.500L19 7.500',
  chevron: 'm9 6 6 6-6 6',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7.500V12l3 2',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h10v11H9zM15 9V5H5v10h4',
  down: 'm6 9 6 6 6-6',
  download: 'M12 4v11m-5-5 5 5 5-5M5 20h14',
  eye: 'M2.500 12S6 5.500 12 5.500 21.500 12 21.500 12 18 18.500 12 18.500 2.500 12 2.500 12zM12 9.200a2.800 2.800 0 1 0 0 5.600 2.800 2.800 0 0 0 0-5.600z',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  folder: 'M3.500 6h6l2 2.500h9V19h-17z',
  globe: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c3 3 3.500 6 3.500 9s-.5 6-3.500 9c-3-3-3.500-6-3.500-9S9 6 12 3z',
  image: 'M4 5h16v14H4zM4 16l4.500-4.500 4 4 3-3L20 17M15 8.500h.01',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v5.500M12 7.500h.01',
  key: 'M15.500 3.500a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM12 12l-7.500 7.500M7.500 16.500l2.500 2.500M16.500 7.500h.01',
  link: 'M10 14a4 4 0 0 0 6 .500l3-3a4 4 0 0 0-5.700-5.700l-1.500 1.500M14 10a4 4 0 0 0-6-.500l-3 3a4 4 0 0 0 5.700 5.700l1.500-1.500',
  lock: 'M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3',
  mail: 'M3.500 6h17v12h-17zM4 6.500l8 6.500 8-6.500',
  menu: 'M4 7h16M4 12h16M4 17h16',
  monitor: 'M3.500 5h17v11h-17zM9 20h6M12 16v4',
  moon: 'M19.500 14.500A8 8 0 0 1 9.500 4.500a8 8 0 1 0 10 10z',
  pdf: 'M6 3h8l4 4v14H6zM14 3v4h4M9 17v-5h1.500a1.500 1.500 0 0 1 0 3H9M14 12v5',
  pencil: 'M4 20l1-4.500L16.500 4l3.500 3.500L8.500 19zM14 6.500l3.500 3.500',
  plus: 'M12 5v14M5 12h14',
  qr: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2.500v2.500M20 14v.010M20 17.500V20h-5.500V19',
  refresh: 'M19.500 8.500A8 8 0 1 0 20 12.500M20 4v4.500h-4.500',
  pulse: 'M3 12h4l3-7 4 14 3-7h4',
  search: 'M10.500 4a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13zM15.500 15.500 20 20',
  server: 'M4 5h16v6H4zM4 13h16v6H4zM7.500 8h.01M7.500 16h.01',
  settings: 'M4 8h9M17 8h3M15 5.500v5M4 16h3M11 16h9M9 13.500v5',
  share: 'M12 15V4m-4 4 4-4 4 4M7 11H5v9h14v-9h-2',
  signOut: 'M10 4H5v16h5M15 8l4 4-4 4M19 12H9',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.500v2M12 19.500v2M2.500 12h2M19.500 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M5.300 18.700l1.400-1.400M17.300 6.700l1.400-1.400',
  text: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h4',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  undo: 'M9 4.500l-5 5 5 5M4.500 9.500H14a5.500 5.500 0 0 1 0 11h-4',
  user: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4.500 20.500c.5-4 3.500-6 7.500-6s7 2 7.500 6',
  users:
    'M9 5a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7zM2.500 19.500c.4-3.400 2.900-5 6.500-5s6.100 1.600 6.500 5M15.500 5.300a3.500 3.500 0 0 1 0 6.400M18 14.800c2 .7 3.200 2.300 3.500 4.700',
  video: 'M3.500 6h12v12h-12zM15.500 10.500 20.500 7v10l-5-3.500',
} as const
export type IconName = keyof typeof paths

/** A small picture beside or instead of a word; whoever uses it alone names it for screen readers. `size` is in CSS pixels. */
export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg className={`icon icon-${name}`} width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
