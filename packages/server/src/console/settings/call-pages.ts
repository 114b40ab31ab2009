import type { Schemas } from '../api/api.ts'
import {
  type Column,
  dimensions,
  dimensionText,
  type FormState,
  facts,
  freshForm,
  html,
  linkButton,
  money,
  moneyValue,
  nothing,
  optionField,
  section,
  table,
  textArea,
  textField,
} from '../components/components.ts'
import {
  type ConsolePage,
  countIn,
  type FormValues,
  formPage,
  part,
  refusedForm,
  shown,
  type Visit,
} from '../frame/frame.ts'
import { path, settingsHead } from './settings-tabs.ts'
import { trustChoices, trustText } from './trust-words.ts'

type Dimension = Schemas['Dimension']

const callsPath = `${path}/calls`

const unknownTexts: Readonly<Record<string, string>> = {
  allow: 'Allowed',
  default_limit: 'Under a default limit',
  refuse: 'Refused',
}

const dimensionColumns = ({ may }: Visit): readonly Column<Dimension>[] => [
  { name: 'Names of', cell: ({ dimension }) => dimensionText(dimension) },
  {
    name: 'Known',
    kind: 'all wrapped',
    cell: ({ values, pattern }) =>
      values.length === 0 && pattern === null
        ? html`<span class="dim">none are listed</span>`
        : html`<span class="chips">${values.slice(0, 8).map((value) => html`<span class="chip">${value}</span>`)}${values.length > 8 ? html`<span class="dim">and ${values.length - 8} more</span>` : nothing}${pattern === null ? nothing : html`<span class="chip">${pattern}</span>`}</span>`,
  },
  { name: 'Others are', label: 'Others are', cell: ({ on_unknown }) => unknownTexts[on_unknown] ?? on_unknown },
  {
    name: 'Actions',
    isAction: true,
    cell: ({ dimension }) =>
      may('limits:write', 'admin')
        ? linkButton(`${callsPath}/names/${dimension}`, 'Change', {
            kind: 'sm quiet',
            of: `names of ${dimensionText(dimension)}`,
          })
        : nothing,
  },
]

/** Settings about calls: how far callers are trusted, which names are known, and where spans have them. */
export async function callsPage(visit: Visit): Promise<ConsolePage> {
  const { api, may } = visit
  const [trust, names, mapping] = await Promise.all([
    part(api.get('/v1/orgs/{id}/trust')),
    part(api.get('/v1/orgs/{id}/dimensions')),
    part(api.get('/v1/orgs/{id}/otlp-mapping')),
  ])
  return {
    title: 'Trust and names',
    here: path,
    body: html`${settingsHead(visit, 'calls', 'How far the word of callers is taken, and which names they may use.')}${section(
      'Trust',
      shown(trust, visit, (settings) =>
        facts([
          ...trustChoices.map(({ name, label }) => [label, trustText(name, String(settings[name]))] as const),
          ['Shortest lease', `${settings.min_lease_seconds} s`],
          [
            'Most that a key may go over in a day',
            settings.max_overrun_usd === null ? 'no maximum' : money(settings.max_overrun_usd),
          ],
        ]),
      ),
      may('limits:write', 'admin') ? linkButton(`${callsPath}/trust`, 'Change', { kind: 'sm', of: 'trust' }) : nothing,
    )}${section(
      'Names',
      shown(names, visit, ({ data }) => table(dimensionColumns(visit), data, { caption: 'Names that are known' })),
    )}${section(
      'OpenTelemetry',
      shown(mapping, visit, (attributes) =>
        facts(
          dimensions.map((dimension) => [
            `${dimensionText(dimension)} from`,
            attributes[dimension] === null
              ? 'the built-in attributes'
              : html`<span class="chips">${attributes[dimension].map((name) => html`<span class="chip">${name}</span>`)}</span>`,
          ]),
        ),
      ),
      may('runs:write', 'admin')
        ? linkButton(`${callsPath}/otlp`, 'Change', { kind: 'sm', of: 'OpenTelemetry' })
        : nothing,
    )}`,
  }
}

const trustForm = (visit: Visit, state: FormState): ConsolePage =>
  formPage(visit, state, {
    title: 'Trust',
    sub: 'For every key. A stricter setting leaves callers fewer ways to report less than they spent.',
    here: path,
    action: `${callsPath}/trust`,
    submit: 'Save trust',
    cancel: callsPath,
    body: html`${trustChoices.map(({ name, label, choices }) => optionField(state, { name, label, choices }))}${textField(state, { name: 'min_lease_seconds', label: 'Shortest lease', hint: 'Seconds, 1 to 86400. A shorter one is lengthened to it.' })}${textField(state, { name: 'max_overrun_usd', label: 'Most that a key may go over in a day', prefix: '$', isOptional: true, hint: 'Beyond it, its calls are held at the cost of its dearest run. Empty: no maximum.' })}`,
  })

export async function trustPage(visit: Visit): Promise<ConsolePage> {
  const trust = await visit.api.get('/v1/orgs/{id}/trust')
  return trustForm(
    visit,
    freshForm({
      ...Object.fromEntries(trustChoices.map(({ name }) => [name, String(trust[name])])),
      min_lease_seconds: String(trust.min_lease_seconds),
      max_overrun_usd: trust.max_overrun_usd === null ? '' : moneyValue(trust.max_overrun_usd),
    }),
  )
}

export async function changeTrust(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const chosen = Object.fromEntries(
    trustChoices.map(({ name, isFlag }) => [name, isFlag ? values[name] === 'true' : values[name]]),
  )
  const lease = countIn(values['min_lease_seconds'])
  const overrun = (values['max_overrun_usd'] ?? '').trim().replace(/^\$/, '')
  try {
    await visit.api.change('put', '/v1/orgs/{id}/trust', {
      body: {
        ...(chosen as Schemas['TrustInput']),
        ...(lease !== null && { min_lease_seconds: lease }),
        max_overrun_usd: overrun === '' ? null : overrun,
      },
    })
    return `${callsPath}?done=saved`
  } catch (error) {
    return trustForm(visit, refusedForm(error, values))
  }
}

const lines = (text = '') =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

const namesForm = (visit: Visit, state: FormState): ConsolePage => {
  const dimension = visit.params['dimension'] ?? ''
  return formPage(visit, state, {
    title: `Names of ${dimensionText(dimension)}`,
    sub: 'A call that names none is not affected.',
    here: path,
    action: `${callsPath}/names/${dimension}`,
    submit: 'Save names',
    cancel: callsPath,
    body: html`<div class="all">${textArea(state, { name: 'values', label: 'Known names', rows: 8, isCode: true, isOptional: true, hint: 'One a line, as calls send them.' })}</div>${textField(state, { name: 'pattern', label: 'or all that match', isOptional: true, hint: 'A regular expression (RE2), such as ^team-[a-z]+$' })}${optionField(
      state,
      {
        name: 'on_unknown',
        label: 'Calls with another name',
        choices: [
          { value: 'allow', text: 'Allowed', consequence: 'Any name may be used.' },
          {
            value: 'default_limit',
            text: 'Under a default limit',
            consequence: 'They share the limit of names that nobody knows.',
          },
          { value: 'refuse', text: 'Refused', consequence: 'A typing error stops the call.' },
        ],
      },
    )}`,
  })
}

export async function namesPage(visit: Visit): Promise<ConsolePage> {
  const { values, pattern, on_unknown } = await visit.api.get('/v1/orgs/{id}/dimensions/{dimension}', {
    path: { dimension: (visit.params['dimension'] ?? '') as never },
  })
  return namesForm(visit, freshForm({ values: values.join('\n'), pattern: pattern ?? '', on_unknown }))
}

export async function changeNames(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const pattern = (values['pattern'] ?? '').trim()
  try {
    await visit.api.change('put', '/v1/orgs/{id}/dimensions/{dimension}', {
      path: { dimension: (visit.params['dimension'] ?? '') as never },
      body: {
        values: lines(values['values']),
        pattern: pattern === '' ? null : pattern,
        on_unknown: (values['on_unknown'] ?? 'allow') as Schemas['DimensionInput']['on_unknown'],
      },
    })
    return `${callsPath}?done=saved`
  } catch (error) {
    return namesForm(visit, refusedForm(error, values))
  }
}

const mappingForm = (visit: Visit, state: FormState): ConsolePage =>
  formPage(visit, state, {
    title: 'Names in OpenTelemetry',
    sub: 'Attributes of spans in which names are looked for; the first that is there counts.',
    here: path,
    action: `${callsPath}/otlp`,
    submit: 'Save',
    cancel: callsPath,
    body: html`${dimensions.map((name) => textArea(state, { name, label: `Attributes with the ${dimensionText(name)}`, rows: 2, isCode: true, isOptional: true, hint: 'One a line. Empty: the built-in ones.' }))}`,
  })

export async function mappingPage(visit: Visit): Promise<ConsolePage> {
  const mapping = await visit.api.get('/v1/orgs/{id}/otlp-mapping')
  return mappingForm(
    visit,
    freshForm(Object.fromEntries(dimensions.map((name) => [name, mapping[name]?.join('\n') ?? '']))),
  )
}

export async function changeMapping(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const attributes = (name: string) => {
    const list = lines(values[name])
    return list.length === 0 ? null : list
  }
  try {
    await visit.api.change('patch', '/v1/orgs/{id}/otlp-mapping', {
      body: Object.fromEntries(dimensions.map((name) => [name, attributes(name)])),
    })
    return `${callsPath}?done=saved`
  } catch (error) {
    return mappingForm(visit, refusedForm(error, values))
  }
}
