import {
  durationText,
  type FormState,
  facts,
  form,
  freshForm,
  html,
  note,
  nothing,
  optionField,
  textField,
} from '../components/components.ts'
import { type ConsolePage, countIn, type FormValues, formStatus, refusedForm, type Visit } from '../frame/frame.ts'
import { here, path, settingsHead } from './settings-head.ts'

const policyPath = `${path}/policy`

const time = (seconds: number | null) =>
  seconds === null ? 'as the installation has set' : durationText(seconds * 1_000)
const minutes = (seconds: number | null) => (seconds === null ? '' : String(seconds / 60))

/** Returns minutes of a field as seconds; what is no number stays as it is, for the API to refuse. */
const secondsIn = (text: string | undefined) => {
  const count = countIn(text)
  return typeof count === 'number' ? count * 60 : count
}

const policyForm = (visit: Visit, state: FormState): ConsolePage => ({
  title: 'Sessions',
  here,
  status: formStatus(state),
  body: html`${settingsHead(visit, 'policy', 'What you demand of everybody who signs in.')}${
    visit.query.get('done') === 'changed'
      ? note('info', 'Sessions are bound by it from their next request on.')
      : nothing
  }${form(
    visit.formKeys,
    policyPath,
    state,
    html`${textField(state, { name: 'idle_minutes', label: 'A session ends when unused for', hint: 'Minutes. Empty: as the installation has set, which also bounds it.', isOptional: true })}${textField(state, { name: 'max_minutes', label: 'and at the latest after', hint: 'Minutes.', isOptional: true })}${optionField(
      state,
      {
        name: 'sso',
        label: 'People sign in',
        choices: [
          { value: 'optional', text: 'In any way', consequence: 'Links, passkeys, identity providers.' },
          {
            value: 'required',
            text: 'Only through an identity provider',
            consequence: 'Sessions that people have opened otherwise end now. Try your provider first.',
          },
        ],
      },
    )}${optionField(state, {
      name: 'key_sign_in',
      label: 'Keys and support tokens',
      choices: [
        {
          value: 'allow',
          text: 'May open sessions',
          consequence: 'An owner’s key gets you in when the provider fails.',
        },
        {
          value: 'refuse',
          text: 'May not',
          consequence: `Sessions that they have opened end now${visit.caller.kind === 'person' ? '' : ', also the one that you are in'}.`,
        },
      ],
    })}`,
    { submit: 'Save', kind: 'primary' },
  )}`,
})

/** Demands on sessions: how long they last, and how they are opened. */
export async function policyPage(visit: Visit): Promise<ConsolePage> {
  const policy = await visit.api.get('/v1/orgs/{id}/session-policy')
  if (visit.may('keys:write', 'owner'))
    return policyForm(
      visit,
      freshForm({
        idle_minutes: minutes(policy.idle_seconds),
        max_minutes: minutes(policy.max_seconds),
        sso: policy.sso,
        key_sign_in: policy.key_sign_in,
      }),
    )
  return {
    title: 'Sessions',
    here,
    body: html`${settingsHead(visit, 'policy', 'An owner can change this.')}${facts([
      ['A session ends when unused for', time(policy.idle_seconds)],
      ['At the latest after', time(policy.max_seconds)],
      ['People sign in', policy.sso === 'required' ? 'only through an identity provider' : 'in any way'],
      ['Keys open sessions', policy.key_sign_in === 'allow' ? 'yes' : 'no'],
    ])}`,
  }
}

export async function changePolicy(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  try {
    await visit.api.change('put', '/v1/orgs/{id}/session-policy', {
      body: {
        idle_seconds: secondsIn(values['idle_minutes']),
        max_seconds: secondsIn(values['max_minutes']),
        sso: values['sso'] === 'required' ? 'required' : 'optional',
        key_sign_in: values['key_sign_in'] === 'refuse' ? 'refuse' : 'allow',
      },
    })
    return `${policyPath}?done=changed`
  } catch (error) {
    const names = { idle_seconds: 'idle_minutes', max_seconds: 'max_minutes' }
    return policyForm(visit, refusedForm(error, values, names))
  }
}
