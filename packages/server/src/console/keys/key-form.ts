import { includesRole, type Role } from '../../contract/routes.ts'
import type { Schemas } from '../api/api.ts'
import {
  checkGroup,
  type FormState,
  freshForm,
  html,
  optionField,
  selectField,
  textField,
} from '../components/components.ts'
import { type ConsolePage, type FormValues, formPage, refusedForm, secretPage, type Visit } from '../frame/frame.ts'
import { memberNames, pinChoices } from './key-states.ts'

type Scope = Schemas['KeyInput']['scopes'][number]

const path = '/console/keys'
const roles = ['service', 'member', 'viewer', 'admin', 'owner'] as const
const consequences: Readonly<Record<Role, string>> = {
  service: 'For agents and gateways.',
  member: 'For somebody’s own work.',
  viewer: 'Reads only.',
  admin: 'Changes limits, rules and keys.',
  owner: 'Everything, also sign-in and owners.',
  operator: '',
}

/** Scopes that most keys have, under the name of their job. */
const jobs: Readonly<
  Record<string, { readonly text: string; readonly consequence: string; readonly fits: (scope: string) => boolean }>
> = {
  agent: {
    text: 'Run agents',
    consequence: 'Asks before calls and records runs: edge:decide, runs:write, runs:read, limits:read.',
    fits: (scope) => ['edge:decide', 'runs:write', 'runs:read', 'limits:read'].includes(scope),
  },
  import: {
    text: 'Import runs',
    consequence: 'Records runs that have already happened: runs:import.',
    fits: (scope) => scope === 'runs:import',
  },
  read: { text: 'Read', consequence: 'Every scope that reads.', fits: (scope) => scope.endsWith(':read') },
  chosen: { text: 'As ticked below', consequence: 'Exactly the scopes that you tick.', fits: () => false },
}

const giftOf = ({ caller }: Visit): string[] => [...(caller.scopesInGift ?? caller.scopes)].toSorted()

const scopesFrom = (visit: Visit, { job = 'chosen', scopes = '' }: FormValues): Scope[] =>
  (job === 'chosen'
    ? scopes.split(',').filter(Boolean)
    : giftOf(visit).filter((scope) => jobs[job]?.fits(scope))) as Scope[]

/** The form for a new key. */
export async function newKeyPage(visit: Visit, state: FormState): Promise<ConsolePage> {
  const { caller, times, may } = visit
  const names = await memberNames(visit)
  const pinned = Object.keys(caller.pins)
  return formPage(visit, state, {
    title: 'New key',
    sub: 'It can do no more than you can. Its secret is shown once.',
    here: path,
    action: path,
    submit: 'Create key',
    cancel: path,
    body: html`${textField(state, { name: 'name', label: 'Name', isRequired: true, hint: 'What uses it, such as support-agent-prod.' })}${
      may('members:read', 'admin')
        ? selectField(state, {
            name: 'owner_id',
            label: 'Owner',
            hint: 'Answers for it; the key ends when they are removed.',
            choices: [
              { value: '', text: caller.kind === 'person' ? 'You' : 'Nobody' },
              ...[...names].map(([value, text]) => ({ value, text })),
            ],
          })
        : ''
    }${optionField(state, {
      name: 'role',
      label: 'Role',
      choices: roles
        .filter((role) => includesRole(caller.role, role))
        .map((value) => ({ value, text: value, consequence: consequences[value] })),
    })}${optionField(state, {
      name: 'job',
      label: 'May',
      choices: Object.entries(jobs).map(([value, { text, consequence }]) => ({ value, text, consequence })),
    })}${checkGroup(state, {
      name: 'scopes',
      label: 'Scopes',
      hint: 'They count for "As ticked below".',
      choices: giftOf(visit).map((value) => ({ value, text: value })),
    })}${pinChoices
      .filter(([name]) => !pinned.includes(name))
      .map(([name, text]) =>
        textField(state, {
          name,
          label: `Pinned to ${text}`,
          isOptional: true,
          hint: `It then acts for this ${text} only.`,
        }),
      )}${textField(state, {
      name: 'last_day',
      label: 'Last day',
      type: 'date',
      isOptional: true,
      hint: `It works until this day is over in ${times.zone}. Empty: ${Number.isFinite(caller.expiresAtMs) ? 'as long as your own' : 'until it is revoked'}.`,
    })}`,
  })
}

export const freshKey = (query: URLSearchParams): FormState =>
  freshForm({
    name: '',
    role: 'service',
    job: 'agent',
    owner_id: query.get('owner_id') ?? '',
    scopes: '',
    last_day: '',
  })

/** Creates a key, and shows its secret once; or shows the form with what is wrong. */
export async function createKey(visit: Visit, values: FormValues): Promise<ConsolePage> {
  const { name = '', role = 'service', owner_id = '', last_day = '' } = values
  const pins = Object.fromEntries(
    pinChoices.flatMap(([pin]) => (values[pin] === undefined || values[pin] === '' ? [] : [[pin, values[pin]]])),
  )
  try {
    const key = await visit.api.change('post', '/v1/orgs/{id}/keys', {
      body: {
        name,
        role: role as Schemas['KeyInput']['role'],
        scopes: scopesFrom(visit, values),
        ...(Object.keys(pins).length > 0 && { pins }),
        ...(owner_id !== '' && { owner_id }),
        ...(last_day !== '' && { expires_at: visit.times.endOfDay(last_day) ?? last_day }),
      },
    })
    return keySecretPage(key, `The key ${key.name}`)
  } catch (error) {
    const state = refusedForm(error, values, { expires_at: 'last_day', scopes: 'scopes' })
    return newKeyPage(visit, state)
  }
}

/** The page that shows the secret of a key. */
export const keySecretPage = (key: Schemas['KeyWithSecret'], title: string, body = html``): ConsolePage =>
  secretPage({
    title,
    here: path,
    heading: 'Key',
    secret: key.secret,
    body: html`${body}<p class="dim">Callers send it as <code>authorization: Bearer …</code></p>`,
    back: { href: `${path}/${key.id}`, text: 'I have copied it' },
  })
