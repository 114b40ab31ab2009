import type { Schemas } from '../api/api.ts'
import {
  actionButton,
  badge,
  blank,
  type Column,
  code,
  curl,
  html,
  linkButton,
  note,
  nothing,
  pageHead,
  table,
} from '../components/components.ts'
import { type ConsolePage, messageIn, pager, pageSize, type Visit } from '../frame/frame.ts'

type Cohort = Schemas['ListedCohort']

export const benchmarksPath = '/console/benchmarks'

const done: Readonly<Record<string, string>> = {
  joined: 'You contribute to every period that ends from now on.',
  left: 'Nothing that is published from now on includes you.',
}

/** Cohorts that the organization can compare itself with, and those that it has joined. */
export async function cohortList(visit: Visit): Promise<ConsolePage> {
  const { api, address, query } = visit
  const { data, next_cursor } = await api.get('/v1/benchmarks/cohorts', {
    query: { limit: pageSize, ...(query.get('cursor') && { cursor: query.get('cursor') ?? '' }) },
  })
  const joined = data.filter(({ member }) => member).length
  const message = messageIn(done, query)
  return {
    title: 'Benchmarks',
    here: benchmarksPath,
    body: html`${pageHead(
      'Benchmarks',
      data.length === 0
        ? 'There is no cohort yet.'
        : `You have joined ${joined} of ${data.length} cohorts. Nobody sees the values of another organization.`,
    )}${message === undefined ? nothing : note('info', message)}${
      data.length === 0
        ? html`${blank('No cohort yet', 'A cohort shows how your cost for each run compares with that of similar organizations. Operators of the installation create them.')}${code('Terminal', curl('GET', '/v1/benchmarks/cohorts'), 'the command that lists cohorts')}`
        : table(columnsOf(visit), data, { caption: 'Cohorts' })
    }${pager(address, next_cursor)}`,
  }
}

const criteria = ({ industry, size, workload }: Cohort) =>
  [industry, size, workload].filter((text) => text !== null).join(', ')

const columnsOf = (visit: Visit): readonly Column<Cohort>[] => [
  {
    name: 'Cohort',
    kind: 'name',
    cell: (cohort) =>
      html`<a class="plain" href="${benchmarksPath}/${cohort.id}">${cohort.name}</a> <span class="sub">${criteria(cohort)}</span>`,
  },
  { name: 'Published', label: 'Published', cell: ({ period }) => `every ${period}` },
  {
    name: 'Newest',
    label: 'Newest',
    cell: ({ latest_period_start: start }) => (start === null ? 'nothing yet' : visit.times.time(start)),
  },
  {
    name: 'State',
    cell: ({ member, status }) =>
      status === 'closed' ? badge('Closed', 'line') : member ? badge('Joined', 'ok', 'ok') : badge('Open'),
  },
  {
    name: 'Actions',
    isAction: true,
    cell: ({ id, name, member, status }) => {
      if (!visit.may('benchmarks:write', 'admin')) return nothing
      if (member) return linkButton(`${benchmarksPath}/${id}/leave`, 'Leave', { kind: 'sm quiet', of: name })
      return status === 'closed'
        ? nothing
        : actionButton(visit.formKeys, `${benchmarksPath}/${id}/join`, 'Join', { kind: 'sm', of: name })
    },
  },
]

/** Replaces the list of cohorts that the organization has joined by one with or without a cohort. */
async function changeMembership({ api, params }: Visit, isMember: boolean): Promise<void> {
  const cohortId = params['cohort_id'] ?? ''
  const { cohort_ids: before } = await api.get('/v1/orgs/{id}/benchmark-membership')
  const others = before.filter((id) => id !== cohortId)
  await api.change('put', '/v1/orgs/{id}/benchmark-membership', {
    body: { cohort_ids: isMember ? [...others, cohortId] : others },
  })
}

export async function joinCohort(visit: Visit): Promise<string> {
  await changeMembership(visit, true)
  return `${benchmarksPath}?done=joined`
}

export async function leaveCohort(visit: Visit): Promise<string> {
  await changeMembership(visit, false)
  return `${benchmarksPath}?done=left`
}

/** The question before a cohort is left: rejoining starts over. */
export async function leavePage({ api, params, formKeys }: Visit): Promise<ConsolePage> {
  const { cohorts } = await api.get('/v1/orgs/{id}/benchmark-membership')
  const cohort = cohorts.find(({ cohort_id: id }) => id === params['cohort_id'])
  const name = cohort?.name ?? 'this cohort'
  return {
    title: `Leave ${name}`,
    here: benchmarksPath,
    body: html`${pageHead(html`Leave ${name}?`)}<div class="narrow-col stack"><p>Nothing that is published from now on includes you. An organization that joins again starts over, and what it contributed before does not count for it.</p><div class="actions">${actionButton(formKeys, `${benchmarksPath}/${params['cohort_id'] ?? ''}/leave`, 'Leave the cohort', { kind: 'danger solid' })}${linkButton(benchmarksPath, 'Stay in it')}</div></div>`,
  }
}
