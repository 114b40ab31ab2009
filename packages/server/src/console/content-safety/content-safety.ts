import type { Schemas } from '../api/api.ts'
import {
  badge,
  type Content,
  type FormState,
  facts,
  form,
  freshForm,
  html,
  type Markup,
  note,
  nothing,
  pageHead,
  section,
  selectField,
  textArea,
  textField,
} from '../components/components.ts'
import type { ConsolePage, ConsoleRoutes, FormValues, Visit } from '../frame/frame.ts'
import { formStatus, refusedForm } from '../frame/frame.ts'

type Settings = Schemas['ContentSafety']
type Mode = 'off' | 'alert' | 'block'

const path = '/console/content-safety'
const modes = [
  { value: 'off', text: 'Off' },
  { value: 'alert', text: 'Only alert' },
  { value: 'block', text: 'Block' },
] as const

const nameText = (name: string) => name.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase())
const modeOf = (text: string | undefined): Mode => modes.find(({ value }) => value === text)?.value ?? (text as Mode)

/** Returns a whole number; anything else as it is, for the API to refuse at its field. */
const numberIn = (text: string): number => (/^\d{1,9}$/.test(text.trim()) ? Number(text) : (text as never))

/** Returns the settings as the fields of the form. */
const settingsForm = ({ detectors, patterns, allow_list: allowed }: Settings): FormState =>
  freshForm({
    ...Object.fromEntries(
      Object.entries(detectors).flatMap(([name, { mode, threshold }]) => [
        [`mode_${name}`, mode],
        [`threshold_${name}`, String(threshold)],
      ]),
    ),
    patterns: patterns
      .map(({ name, mode, threshold, pattern }) => `${name} ${mode} ${threshold} ${pattern}`)
      .join('\n'),
    allow_list: allowed.join('\n'),
  })

const linesOf = (text: string) => text.split(/\r?\n/).filter((line) => line.trim() !== '')

/** Returns the settings that a form describes. */
function settingsOf(values: FormValues): Schemas['ContentSafetyInput'] {
  const names = Object.keys(values).flatMap((name) => /^mode_(\w+)$/.exec(name)?.[1] ?? [])
  return {
    detectors: Object.fromEntries(
      names.map((name) => [
        name,
        { mode: modeOf(values[`mode_${name}`]), threshold: numberIn(values[`threshold_${name}`] ?? '') },
      ]),
    ),
    patterns: linesOf(values['patterns'] ?? '').map((line) => {
      const [, name = '', mode = '', threshold = '', pattern = ''] =
        /^\s*(\S+)\s*(\S*)\s*(\S*)\s?(.*)$/.exec(line) ?? []
      return { name, mode: modeOf(mode), threshold: numberIn(threshold), pattern }
    }),
    allow_list: linesOf(values['allow_list'] ?? ''),
  }
}

const readSettings = ({ api }: Visit): Promise<Settings> => api.get('/v1/orgs/{id}/content-safety')

const settingsFields = (state: FormState, { detectors }: Settings): Markup =>
  html`${Object.keys(detectors).map(
    (name) =>
      html`${selectField(state, { name: `mode_${name}`, label: nameText(name), choices: modes })}${textField(state, { name: `threshold_${name}`, label: `${nameText(name)}: fires from`, type: 'number', hint: name === 'prompt_injection' ? 'A score from 1 to 100.' : 'Distinct hits.' })}`,
  )}<div class="all">${textArea(state, { name: 'patterns', label: 'Patterns of your own', rows: 4, isCode: true, isOptional: true, hint: html`One a line: name, mode, hits, expression. Such as <code>project_codes block 1 \bZEUS-\d{4}\b</code>` })}</div><div class="all">${textArea(state, { name: 'allow_list', label: 'Never a hit', rows: 3, isCode: true, isOptional: true, hint: html`One text a line, or <code>@example.com</code> for the addresses of a domain.` })}</div>`

/** Results of a try-out: each detector that found something, and whether a run would be refused. */
const findingsReport = ({ findings, blocked_by: blocker }: Schemas['ContentSafetyTest']): Markup =>
  html`<div class="stack gap16"><p class="lead">${blocker === null ? 'A run with this text would not be refused.' : html`A run with this text would be refused by <b>${nameText(blocker)}</b>.`}</p>${
    findings.length === 0
      ? html`<p class="dim">No detector that is on found anything.</p>`
      : html`<ul class="todo bare">${findings.map(
          ({ detector, mode, hits, score, threshold, fires, sample }) =>
            html`<li><div><p class="what">${nameText(detector)}</p><p>${hits} distinct ${hits === 1 ? 'hit' : 'hits'}, score ${score} of the ${threshold} from which it fires. <code>${sample}</code></p></div>${fires ? badge(mode === 'block' ? 'Blocks' : 'Alerts', mode === 'block' ? 'stop' : 'warn') : badge('Does not fire', 'line')}</li>`,
        )}</ul>`
  }</div>`

const tryForm = ({ formKeys }: Visit, state: FormState): Markup =>
  form(
    formKeys,
    `${path}/test`,
    state,
    html`<div class="all">${textArea(state, { name: 'input', label: 'Text', rows: 5, hint: 'Judged by the saved settings. It is neither stored nor logged.' })}</div>`,
    { submit: 'Look for hits', kind: '' },
  )

interface Shown {
  readonly state?: FormState
  readonly trial?: FormState
  readonly report?: Content
}

function pageOf(visit: Visit, settings: Settings, { state, trial, report = nothing }: Shown = {}): ConsolePage {
  const mayChange = visit.may('policies:write', 'admin')
  const shownState = state ?? settingsForm(settings)
  const shownTrial = trial ?? freshForm({ input: '' })
  const on = [...Object.values(settings.detectors), ...settings.patterns].filter(({ mode }) => mode !== 'off')
  const blocking = on.filter(({ mode }) => mode === 'block')
  return {
    title: 'Content safety',
    here: path,
    status: Math.max(formStatus(shownState), formStatus(shownTrial)),
    body: html`${pageHead('Content safety', on.length === 0 ? 'No text is inspected: everything is off.' : `${on.length} detectors look at what is sent to models; ${blocking.length} of them refuse.`)}${visit.query.get('done') === 'changed' ? note('info', 'The settings hold from the next call on.') : nothing}<div class="grid"><div class="w7">${section(
      'Detectors',
      mayChange
        ? form(visit.formKeys, path, shownState, settingsFields(shownState, settings), { submit: 'Save the settings' })
        : facts([
            ...Object.entries(settings.detectors).map(
              ([name, { mode, threshold }]) =>
                [
                  nameText(name),
                  `${modes.find(({ value }) => value === mode)?.text ?? mode}, from ${threshold}`,
                ] as const,
            ),
            ...settings.patterns.map(
              ({ name, mode, pattern }) => [name, html`${mode} <code>${pattern}</code>`] as const,
            ),
          ]),
    )}</div><div class="w5">${mayChange ? section('Try it', html`${tryForm(visit, shownTrial)}${report}`) : nothing}</div></div>`,
  }
}

async function saveSettings(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  try {
    await visit.api.change('put', '/v1/orgs/{id}/content-safety', {
      body: settingsOf(values),
    })
    return `${path}?done=changed`
  } catch (error) {
    const names = Object.fromEntries(
      Object.keys(values).flatMap((name) => {
        const [, field, detector] = /^(mode|threshold)_(\w+)$/.exec(name) ?? []
        return detector === undefined ? [] : [[`detectors.${detector}.${field}`, name]]
      }),
    )
    const state = refusedForm(error, values, names)
    return pageOf(visit, await readSettings(visit), { state })
  }
}

async function trySettings(visit: Visit, values: FormValues): Promise<ConsolePage> {
  const { input = '' } = values
  const settings = await readSettings(visit)
  try {
    const found = await visit.api.change('post', '/v1/orgs/{id}/content-safety/test', { body: { input } })
    return pageOf(visit, settings, { trial: freshForm({ input }), report: findingsReport(found) })
  } catch (error) {
    return pageOf(visit, settings, { trial: refusedForm(error, values) })
  }
}

/** Pages of content safety: the detectors, and a text to try them on. */
export function contentSafetyPages({ page, action }: ConsoleRoutes) {
  page(path, async (visit) => pageOf(visit, await readSettings(visit)))
  action(path, saveSettings)
  action(`${path}/test`, trySettings)
}
