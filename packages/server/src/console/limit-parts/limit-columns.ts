import { type Column, freeOf, html, money, moneyText, nothing } from '../components/components.ts'
import type { LimitAmounts } from './limit-states.ts'

/** Columns of a list of limits per period: what is free of each, and the limit itself. */
export const amountColumns: readonly Column<LimitAmounts & { readonly period: string }>[] = [
  {
    name: 'Free',
    isNumber: true,
    label: 'Free',
    cell: ({ limit_usd: limit, spent_usd: spent, held_usd: held }) =>
      limit === null ? nothing : html`<b>${money(freeOf({ spent, held, limit }))}</b>`,
  },
  {
    name: 'Limit',
    isNumber: true,
    kind: 'lim',
    label: 'of',
    cell: ({ limit_usd: limit, period }) =>
      limit === null ? 'none' : html`${moneyText(limit, 'whole')} <span class="dim">a ${period}</span>`,
  },
]
