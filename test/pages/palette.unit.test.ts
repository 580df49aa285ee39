import t from 'tap'
import { contrast, paletteCss, palettesOf } from '../../src/pages/palette.ts'

const accents = ['#4940de', '#ffee00', '#00ff00', '#ff0000', '#000080', '#ffffff', '#000000', '#808080', '#e91e63', '#00bcd4', '#123456']

t.test('derives readable colors for both schemes from any accent color', async (t) => {
  for (const accent of accents) {
    const palettes = palettesOf(accent)!
    for (const scheme of ['light', 'dark'] as const) {
      const palette = palettes[scheme]
      const surfaces = scheme === 'light' ? ['#f6f5fb', '#ffffff'] : ['#100e17', '#191623']
      for (const name of ['primary', 'primary-hover', 'primary-active'] as const) {
        t.ok(contrast(palette[name], '#ffffff') >= 4.5, `${accent} ${scheme} ${name}: white text`)
      }
      t.ok(contrast(palette['on-tint'], palette.tint) >= 4.5, `${accent} ${scheme}: text on a tint`)
      for (const surface of surfaces) {
        t.ok(contrast(palette.link, surface) >= 4.5, `${accent} ${scheme}: a link on ${surface}`)
        t.ok(contrast(palette.focus, surface) >= 3, `${accent} ${scheme}: the focus on ${surface}`)
      }
    }
  }
})

t.test('keeps the hue, and changes nothing without an accent color', async (t) => {
  t.equal(palettesOf(''), null)
  t.equal(palettesOf('#123456'), palettesOf('#123456'), 'it is derived once')
  t.match(palettesOf('#c2185b')!.light, { primary: '#c2185b' }, 'a color that is readable already')
  t.match(
    paletteCss(palettesOf('#c2185b')!),
    /^:root,\[data-theme="light"\]\{--primary:#c2185b;.*\}@media screen\{\[data-theme="dark"\]\{--primary:#/,
  )
})
