import { type Content, html, type Markup, nothing, when } from './markup.ts'

/** A column of a table: what its cells show of a row. */
export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => Content
  /** True for numbers, which stand at the right. */
  readonly isNumber?: boolean
  /** Classes of its cells, such as `gone` to leave it out on a narrow screen, or `all` to span one there. */
  readonly kind?: string
  /** Label of the cell where the table is shown as cards. */
  readonly label?: string
  /** True for actions, whose heading only readers of screens hear. */
  readonly isAction?: boolean
  /** Address that sorts by the column, and how it is sorted now. */
  readonly sort?: { readonly href: string; readonly now: 'ascending' | 'descending' | undefined }
}

/** Looks of a table, and of its rows. */
export interface TableOptions<Row> {
  readonly kind?: string
  readonly rowKind?: (row: Row) => string | undefined
  /** Heading that readers of screens hear. */
  readonly caption?: string
}

const attributesOf = <Row>({ isNumber, kind, label, isAction }: Column<Row>): Markup => {
  const classes = [isNumber ? 'n' : '', isAction ? 'act' : '', kind ?? ''].filter(Boolean).join(' ')
  return html`${classes === '' ? nothing : html` class="${classes}"`}${when(label, (text) => html` data-l="${text}"`)}`
}

/** A table that narrow screens show as cards. The first cell of a row is its heading and has its link. */
export function table<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { kind = '', rowKind, caption }: TableOptions<Row> = {},
): Markup {
  const head = columns.map(
    (column) =>
      html`<th role="columnheader" scope="col"${column.isNumber ? html` class="n"` : nothing}${when(
        column.sort?.now,
        (now) => html` aria-sort="${now}"`,
      )}>${
        column.isAction
          ? html`<span class="hidden">${column.name}</span>`
          : column.sort
            ? html`<a href="${column.sort.href}">${column.name}</a>`
            : column.name
      }</th>`,
  )
  const body = rows.map((row) => {
    const [first, ...others] = columns
    const classes = rowKind?.(row)
    return html`<tr role="row"${when(classes, (name) => html` class="${name}"`)}>${
      first ? html`<th role="rowheader" scope="row"${attributesOf(first)}>${first.cell(row)}</th>` : nothing
    }${others.map((column) => html`<td role="cell"${attributesOf(column)}>${column.cell(row)}</td>`)}</tr>`
  })
  return html`<div class="wrap"><table class="t cards sticky inset ${kind}" role="table">${when(
    caption,
    (text) => html`<caption class="hidden">${text}</caption>`,
  )}<thead role="rowgroup"><tr role="row">${head}</tr></thead><tbody role="rowgroup">${body}</tbody></table></div>`
}
