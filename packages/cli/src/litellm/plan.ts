import { fieldOf, isRecord, type Json, textOf } from '../values.ts'
import { labelOf, nameOf, timeOf } from './labels.ts'
import { addModelBudgets, addTerms, type LimitPlan, type Terms, termsOf } from './limits.ts'
import { Notes } from './notes.ts'
import type { LitellmState } from './source.ts'

/** A key to be registered with the one that takes its place. */
export interface KeyPlan {
  readonly token: string
  readonly name: string
  readonly pins: Readonly<Record<string, string>>
  readonly email: string
  readonly expiresAt: Date | undefined
  readonly isBlocked: boolean
  readonly limits: readonly LimitPlan[]
}

/** All that is to be in Weir. */
export interface ImportPlan {
  readonly keys: readonly KeyPlan[]
  readonly limits: readonly LimitPlan[]
  readonly notes: Notes
  /** Teams and tokens of the chosen organization, which say whose calls are carried over. */
  readonly isChosen: (log: { api_key: string; team_id: string; organization_id: string }) => boolean
}

/** LiteLLM's own administrator, who is no person. */
const administrator = 'default_user_id'

/** Keys whose calls no limit of theirs names: sessions of LiteLLM's pages. */
const pagesTeam = 'litellm-dashboard'

/** Plans what becomes of what LiteLLM has. Pure: nothing is asked, and the same state gives the same plan. */
export function planImport(state: LitellmState, organization: string, now: Date): ImportPlan {
  const notes = new Notes()
  const isIn = (row: Json) => {
    const own = textOf(row, 'organization_id')
    return organization === 'all' || (organization === 'none' ? own === '' : own === organization)
  }
  const budgets = new Map(state.budgets.map((row) => [textOf(row, 'budget_id'), row]))
  const budgetOf = (row: Json) => budgets.get(textOf(row, 'budget_id'))
  const teams = inOrder(state.teams, 'team_id').filter(isIn)
  const teamIds = new Set(teams.map((team) => textOf(team, 'team_id')))
  const withoutToken = state.keys.filter((key) => textOf(key, 'token') === '').length
  for (let i = 0; i < withoutToken; i++) notes.add('keys without a digest')
  const keys = inOrder(state.keys, 'token').filter(
    (key) =>
      textOf(key, 'token') !== '' &&
      (teamIds.has(textOf(key, 'team_id')) || isIn(key)) &&
      textOf(key, 'team_id') !== pagesTeam,
  )
  const userIds = new Set(keys.map((key) => textOf(key, 'user_id')))
  const users = inOrder(state.users, 'user_id').filter(
    (user) => textOf(user, 'user_id') !== administrator && (isIn(user) || userIds.has(textOf(user, 'user_id'))),
  )
  const emails = new Map(users.map((user) => [textOf(user, 'user_id'), textOf(user, 'user_email')]))
  const limits: LimitPlan[] = []
  if (organization !== 'all') addOrganizations(limits, state, organization, budgetOf, notes)
  else if (state.organizations.some((row) => budgetOf(row)))
    notes.add('budgets of organizations, because several become one organization')
  for (const team of teams) addTeam(limits, team, notes)
  for (const user of users) addUser(limits, user, notes)
  for (const member of inOrder(inOrder(state.memberships, 'user_id'), 'team_id'))
    addMember(limits, member, teamIds, budgetOf, notes)
  for (const customer of inOrder(state.customers, 'user_id')) addCustomer(limits, customer, budgetOf, notes)
  const tokens = new Set(keys.map((key) => textOf(key, 'token')))
  return {
    keys: keys.map((key) => keyPlan(key, emails, budgetOf, notes, now)),
    limits,
    notes,
    isChosen: ({ api_key, team_id, organization_id }) =>
      organization === 'all' ||
      tokens.has(api_key) ||
      teamIds.has(team_id) ||
      organization_id === (organization === 'none' ? '' : organization),
  }
}

/** Orders rows by an id, so that the same rows give the same plan from wherever they come. */
const inOrder = (rows: readonly Json[], id: string): Json[] =>
  rows
    .map((row) => [textOf(row, id), row] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, row]) => row)

type BudgetOf = (row: Json) => Json | undefined

function addOrganizations(limits: LimitPlan[], state: LitellmState, id: string, budgetOf: BudgetOf, notes: Notes) {
  const row = state.organizations.find((one) => textOf(one, 'organization_id') === id)
  if (!row) return
  const name = nameOf(row, 'organization_alias', 'organization_id')
  const terms = termsOf(budgetOf(row) ?? {}, row)
  addTerms(limits, { scope: { scope_kind: 'org' }, name, what: `organization ${name}`, terms }, notes)
  noteRates(budgetOf(row) ?? {}, 'organizations', notes)
}

function addTeam(limits: LimitPlan[], team: Json, notes: Notes) {
  const id = labelOf(textOf(team, 'team_id'))
  const name = nameOf(team, 'team_alias', 'team_id')
  if (id === undefined) return notes.add('teams whose id is no name')
  const scope = { scope_kind: 'department', scope_id: id }
  const isBlocked = fieldOf(team, 'blocked') === true
  addTerms(limits, { scope, name, what: `team ${name}`, terms: termsOf(team, team), isBlocked }, notes)
  addModelBudgets(limits, { scope, name, what: `team ${name}`, row: team }, notes)
  noteRates(team, 'teams', notes)
  noteModels(team, 'teams', notes)
}

function addUser(limits: LimitPlan[], user: Json, notes: Notes) {
  const id = labelOf(textOf(user, 'user_id'))
  const name = nameOf(user, 'user_email', 'user_id')
  if (id === undefined) return notes.add('users whose id is no name')
  const scope = { scope_kind: 'user', scope_id: id }
  const terms = termsOf(user, user)
  if (terms.max !== undefined)
    notes.say('budgets of users: LiteLLM asks them for keys outside teams only, Weir for every call')
  addTerms(limits, { scope, name, what: `user ${name}`, terms }, notes)
  addModelBudgets(limits, { scope, name, what: `user ${name}`, row: user }, notes)
  noteRates(user, 'users', notes)
  noteModels(user, 'users', notes)
}

function addMember(limits: LimitPlan[], member: Json, teamIds: ReadonlySet<string>, budgetOf: BudgetOf, notes: Notes) {
  const [team, user] = [labelOf(textOf(member, 'team_id')), labelOf(textOf(member, 'user_id'))]
  const budget = budgetOf(member)
  if (!budget || team === undefined || user === undefined || !teamIds.has(textOf(member, 'team_id'))) return
  const scope = { scope_kind: 'department', scope_id: team, and_scope_kind: 'user', and_scope_id: user }
  const name = labelOf(`${user} in ${team}`, 100) ?? user
  addTerms(limits, { scope, name, what: `member ${name}`, terms: termsOf(budget, member) }, notes)
  noteRates(budget, 'members of teams', notes)
}

function addCustomer(limits: LimitPlan[], customer: Json, budgetOf: BudgetOf, notes: Notes) {
  const id = labelOf(textOf(customer, 'user_id'))
  if (id === undefined) return notes.add('end users whose id is no name')
  const isBlocked = fieldOf(customer, 'blocked') === true
  const budget = budgetOf(customer)
  const terms: Terms = termsOf(budget ?? {}, customer)
  addTerms(limits, { scope: { customer_id: id }, name: id, what: `end user ${id}`, terms, isBlocked }, notes)
  if (textOf(customer, 'allowed_model_region') !== '') notes.add('regions that end users are bound to')
  if (budget) noteRates(budget, 'end users', notes)
}

function keyPlan(key: Json, emails: ReadonlyMap<string, string>, budgetOf: BudgetOf, notes: Notes, now: Date): KeyPlan {
  const token = textOf(key, 'token')
  const name = nameOf(key, 'key_alias', 'key_name')
  const userId = textOf(key, 'user_id') === administrator ? '' : textOf(key, 'user_id')
  const [team, user] = [labelOf(textOf(key, 'team_id')), labelOf(userId)]
  const pins = { ...(team !== undefined && { department_id: team }), ...(user !== undefined && { user_id: user }) }
  const limits: LimitPlan[] = []
  const what = `key ${name} (${token.slice(0, 8)})`
  const own = termsOf(key, key)
  const terms = own.max === undefined && own.soft === undefined ? termsOf(budgetOf(key) ?? {}, key) : own
  addTerms(limits, { scope: { scope_kind: 'key' }, name, what, terms }, notes)
  addModelBudgets(limits, { scope: { scope_kind: 'key' }, name, what, row: key }, notes)
  noteRates(key, 'keys', notes)
  noteModels(key, 'keys', notes)
  for (const [field, text] of unsupported) if (isSet(fieldOf(key, field))) notes.add(text)
  const expiresAt = timeOf(textOf(key, 'expires'))
  if (expiresAt && expiresAt <= now) notes.add('keys that have expired', what)
  return {
    token,
    name,
    pins,
    email: emails.get(userId) ?? '',
    expiresAt,
    isBlocked: fieldOf(key, 'blocked') === true,
    limits,
  }
}

const isSet = (value: unknown) =>
  Array.isArray(value)
    ? value.length > 0
    : isRecord(value)
      ? Object.keys(value).length > 0
      : value !== undefined && value !== null && value !== '' && value !== false

const unsupported = [
  ['aliases', 'aliases of models on keys'],
  ['permissions', 'permissions of keys'],
  ['allowed_routes', 'routes that keys are bound to'],
  ['budget_limits', 'lists of several budgets of keys (budget_limits)'],
  ['router_settings', 'router settings of keys'],
  ['auto_rotate', 'rotation of keys by LiteLLM itself'],
] as const

/** Notes limits per minute, which an organization of Weir has few of, set by the operator. */
function noteRates(row: Json, kind: string, notes: Notes) {
  if (fieldOf(row, 'rpm_limit') != null || fieldOf(row, 'tpm_limit') != null)
    notes.add(`limits per minute (rpm_limit, tpm_limit) of ${kind}: an operator sets them with rate limits`)
  if (fieldOf(row, 'max_parallel_requests') != null)
    notes.add(`limits on calls at once (max_parallel_requests) of ${kind}: set them with concurrency limits`)
}

function noteModels(row: Json, kind: string, notes: Notes) {
  const models = fieldOf(row, 'models')
  if (Array.isArray(models) && models.some((one) => typeof one === 'string' && !/^all-(proxy|team)-models$/.test(one)))
    notes.add(`models that ${kind} are bound to: write them as rules`)
}
