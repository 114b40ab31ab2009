import {
  blank,
  code,
  counted,
  html,
  linkButton,
  note,
  nothing,
  pageHead,
  section,
  table,
} from '../components/components.ts'
import { type ConsolePage, filterForm, messageIn, pager, type Visit } from '../frame/frame.ts'
import { priceColumns } from './price-columns.ts'
import { pageOf, priceMessages } from './price-list.ts'

/** Path of the prices of the installation. */
export const installationPath = '/console/installation-prices'

/** Prices that operators have set for every organization. */
export async function installationPage(visit: Visit): Promise<ConsolePage> {
  const { api, query, address, may, times } = visit
  const { prices, updated_at } = await api.get('/v1/admin/prices')
  const mayChange = may('admin:write', 'operator')
  const wanted = (query.get('model') ?? '').trim().toLowerCase()
  const fitting = prices.filter(({ model, provider }) => `${provider ?? ''}/${model}`.toLowerCase().includes(wanted))
  const { rows, next } = pageOf(fitting, query.get('cursor'))
  const message = messageIn(priceMessages, query)
  return {
    title: 'Prices of the installation',
    here: installationPath,
    body: html`${pageHead(
      'Prices of the installation',
      html`${counted(prices.length, 'price')} for every organization, before the built-in list. ${updated_at === null ? nothing : html`Changed ${times.passed(updated_at)}.`}`,
      mayChange
        ? html`${linkButton(`${installationPath}/import`, 'Import')}${linkButton(`${installationPath}/new`, 'New price', { kind: 'primary', iconName: 'plus' })}`
        : nothing,
    )}${message === undefined ? nothing : note('info', message)}${
      prices.length === 0
        ? blank('No price is set', 'Every organization is charged by the built-in list, or by prices of its own.')
        : html`${filterForm(address, [{ name: 'model', label: 'Model or provider', type: 'search' }])}<p class="small dim">In US dollars for a million tokens.</p>${
            rows.length === 0
              ? blank(
                  'No price matches',
                  'Remove the filter to see more.',
                  linkButton(installationPath, 'All prices', { kind: 'sm' }),
                )
              : table(priceColumns(visit, { path: installationPath, mayChange }), rows, {
                  kind: 'budgets',
                  caption: 'Prices of the installation',
                })
          }${pager(address, next)}`
    }${section(
      'Import from a terminal',
      html`<p>A file of genai-prices, LiteLLM or models.dev is compared with what is in effect, model by model, before anything is applied; here, or by a command. <a href="/docs/price-imports">How it is read</a></p>${code('Terminal', 'node packages/server/src/main.ts prices import prices.json --url "$WEIR"\nnode packages/server/src/main.ts prices import prices.json --url "$WEIR" --apply', 'the command that imports prices')}`,
    )}`,
  }
}
