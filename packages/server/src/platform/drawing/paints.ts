import type { SvgAttributes } from './markup.ts'

/**
 * Colours by purpose, light and dark. The light ones are set as attributes, so that a drawing is readable without CSS; a few
 * style rules replace them where the reader prefers dark.
 */
const paints = {
  paper: ['#ffffff', '#11161d'],
  border: ['#dfe4ea', '#2b3542'],
  grid: ['#e8ecf0', '#232c37'],
  axis: ['#8592a3', '#6b7a8d'],
  ink: ['#1a2330', '#e3e8ee'],
  quiet: ['#556173', '#9aa7b8'],
  history: ['#3a4658', '#c5cfdb'],
  forecast: ['#0a6b83', '#5cc4dc'],
  limit: ['#b3261e', '#ff8f85'],
  warning: ['#7a4d00', '#f2c14e'],
  warningPaper: ['#fff6e0', '#2c2410'],
  scenario0: ['#a34700', '#ffab5e'],
  scenario1: ['#6b3fa0', '#c7a3f5'],
  scenario2: ['#2c6e2f', '#86d18a'],
  scenario3: ['#a8245f', '#f791bd'],
  scenario4: ['#2453a8', '#8fb6ff'],
} as const
export type Paint = keyof typeof paints

const classOf = (property: 'fill' | 'stroke', paint: Paint) => `weir-${property}-${paint}`

/** Returns the colour attributes of a shape, with the classes that the dark style refers to. */
export const paintAttributes = ({ fill, stroke }: { fill?: Paint; stroke?: Paint }): SvgAttributes => ({
  fill: fill === undefined ? 'none' : paints[fill][0],
  stroke: stroke === undefined ? undefined : paints[stroke][0],
  class: [fill && classOf('fill', fill), stroke && classOf('stroke', stroke)].filter(Boolean).join(' '),
})

export const darkStyle = `@media (prefers-color-scheme:dark){${(Object.keys(paints) as Paint[])
  .flatMap((paint) =>
    (['fill', 'stroke'] as const).map((property) => `.${classOf(property, paint)}{${property}:${paints[paint][1]}}`),
  )
  .join('')}}`
