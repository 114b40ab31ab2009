import { ApiFault, type Schemas } from '../api/api.ts'
import {
  type Content,
  checkField,
  counted,
  type FormState,
  fileField,
  form,
  freshForm,
  html,
  note,
  nothing,
  pageHead,
  textArea,
  textField,
} from '../components/components.ts'
import {
  type ConsolePage,
  type ConsoleRoutes,
  type FormValues,
  formStatus,
  refusedForm,
  type Visit,
} from '../frame/frame.ts'
import { importPreview, obstacleOf } from './import-preview.ts'
import { installationPath } from './installation-list.ts'
import { pricesPath } from './price-list.ts'

type PriceHome = 'org' | 'installation'
type PriceImport = Schemas['PriceImport']

const paths = { org: pricesPath, installation: installationPath } as const

const words = {
  org: 'Imported prices become your own, and apply to calls that name their provider.',
  installation: 'Imported prices apply in every organization that has no price of its own.',
} as const

const listed = (text = ''): string[] =>
  text
    .split(/[\s,]+/)
    .map((one) => one.trim())
    .filter(Boolean)

/** Returns the import that a form describes; a file that was chosen counts, and not the text beside it. */
const bodyOf = (values: FormValues) => ({
  file: values['file'] ?? '',
  providers: listed(values['providers']),
  only: listed(values['only']),
  replace: values['replace'] === 'true',
  with_free: values['with_free'] === 'true',
  skip_refused: values['skip_refused'] === 'true',
})

/** Fields of the file and of the choice of its models. */
const fields = (state: FormState): Content =>
  html`${fileField(state, { name: 'upload', label: 'File', hint: html`Of genai-prices, LiteLLM or models.dev. <a href="/docs/price-imports">How it is read</a>`, isOptional: true })}${textArea(
    state,
    { name: 'file', label: 'Or its text', rows: 8, isCode: true, isOptional: true },
  )}${textField(state, { name: 'providers', label: 'Only these providers', hint: 'Such as anthropic, openai.', isOptional: true })}${textField(
    state,
    { name: 'only', label: 'Only models named', hint: 'Such as claude-*, openai/gpt-5*.', isOptional: true },
  )}${checkField(state, { name: 'replace', label: 'Remove prices of the chosen models that the file does not have' })}${checkField(
    state,
    { name: 'with_free', label: 'Include free models', hint: 'Calls to a free model pass every limit.' },
  )}${checkField(state, { name: 'skip_refused', label: 'Leave out models with invalid prices' })}`

const show = (visit: Visit, home: PriceHome, state: FormState): ConsolePage => ({
  title: 'Import prices',
  here: paths[home],
  status: formStatus(state),
  body: html`${pageHead('Import prices', `You see every difference before anything changes. ${words[home]}`)}${form(
    visit.formKeys,
    `${paths[home]}/import`,
    state,
    fields(state),
    { submit: 'Compare', cancel: paths[home], takesFile: true },
  )}`,
})

/** The difference, and the same form again: to import what is shown, or to compare something else. */
function showDifference(
  visit: Visit,
  home: PriceHome,
  values: FormValues,
  found: PriceImport,
  isLate: boolean,
): ConsolePage {
  const state = freshForm(values)
  const obstacle = obstacleOf(found, values['skip_refused'] === 'true')
  return {
    title: 'Import prices',
    here: paths[home],
    status: isLate ? 409 : 200,
    body: html`${pageHead('Import prices', `${counted(found.chosen, 'model')} of ${found.format}, compared with what is in effect. Nothing is changed yet.`)}${
      isLate
        ? note(
            'warn',
            html`<b>Nothing was imported.</b> Prices, or the file, have changed since you compared. This is the difference now.`,
          )
        : nothing
    }${obstacle === undefined ? nothing : note(found.refused.length > 0 ? 'warn' : '', obstacle)}${importPreview(visit, found)}${form(
      visit.formKeys,
      `${paths[home]}/import`,
      state,
      html`${
        obstacle === undefined
          ? html`<div class="all"><button class="btn primary" type="submit" name="digest" value="${found.digest}">Import ${counted(found.changes.length, 'difference')}</button></div>`
          : nothing
      }<details class="more all"${obstacle === undefined ? nothing : html` open`}><summary>Change the file or the choice</summary><div class="form">${fields(state)}</div></details>`,
      { submit: 'Compare again', kind: '', cancel: paths[home], takesFile: true },
    )}`,
  }
}

const compare = (visit: Visit, home: PriceHome, values: FormValues): Promise<PriceImport> => {
  const body = { ...bodyOf(values), dry_run: true } as const
  return home === 'org'
    ? visit.api.ask('/v1/orgs/{id}/prices/import', { body })
    : visit.api.ask('/v1/admin/prices/import', { body })
}

async function apply(visit: Visit, home: PriceHome, values: FormValues, digest: string): Promise<void> {
  const body = { ...bodyOf(values), digest }
  await (home === 'org'
    ? visit.api.change('post', '/v1/orgs/{id}/prices/import', { body })
    : visit.api.change('post', '/v1/admin/prices/import', { body }))
}

/** Compares a file, or imports what was compared; where that is no longer the same, it is shown anew. */
async function act(visit: Visit, home: PriceHome, sent: FormValues): Promise<string | ConsolePage> {
  const { upload = '', digest = '', idempotency_key: _key, csrf_token: _token, ...others } = sent
  const values = upload.trim() === '' ? others : { ...others, file: upload }
  let isLate = false
  try {
    if (digest !== '') {
      await apply(visit, home, values, digest)
      return `${paths[home]}?done=imported`
    }
  } catch (error) {
    isLate = error instanceof ApiFault && error.code === 'conflict'
    if (!isLate) return show(visit, home, refusedForm(error, values))
  }
  try {
    return showDifference(visit, home, values, await compare(visit, home, values), isLate)
  } catch (error) {
    return show(visit, home, refusedForm(error, { ...values, file: values['file'] ?? '' }))
  }
}

/** Adds the pages that import a list of prices, for the organization or for the installation. */
export function addPriceImports({ page, fileAction }: ConsoleRoutes, home: PriceHome) {
  page(`${paths[home]}/import`, async (visit) => show(visit, home, freshForm()))
  fileAction(`${paths[home]}/import`, (visit, values) => act(visit, home, values))
}
