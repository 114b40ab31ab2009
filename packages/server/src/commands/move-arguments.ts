import { parseArgs } from 'node:util'

/** Commands about moves: `orgs move ORG --to CELL`, `orgs move ORG --cancel`, `orgs moves`, `orgs purge ORG`. */
export type MoveArguments =
  | {
      readonly action: 'move'
      readonly org: string
      readonly to: string
      readonly keepDays: number
      readonly isJson: boolean
    }
  | { readonly action: 'cancel'; readonly org: string; readonly isJson: boolean }
  | { readonly action: 'list'; readonly isJson: boolean }
  | { readonly action: 'purge'; readonly org: string; readonly isForced: boolean; readonly isJson: boolean }

const defaultKeepDays = 7

/** Reads the words after `orgs`; undefined for those that cannot be understood. */
export function readMoveArguments(args: string[]): MoveArguments | undefined {
  const options = {
    to: { type: 'string' },
    cancel: { type: 'boolean' },
    'keep-days': { type: 'string' },
    now: { type: 'boolean' },
    json: { type: 'boolean' },
  } as const
  try {
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true })
    const [action, org = '', ...more] = positionals
    const isJson = values.json === true
    const given = (...names: (keyof typeof options)[]) =>
      Object.keys(values).every((name) => name === 'json' || (names as string[]).includes(name))
    if (more.length > 0) return undefined
    if (action === 'moves') return org === '' && given() ? { action: 'list', isJson } : undefined
    if (org === '') return undefined
    if (action === 'purge')
      return given('now') ? { action: 'purge', org, isForced: values.now === true, isJson } : undefined
    if (action !== 'move') return undefined
    if (values.cancel === true) return given('cancel') ? { action: 'cancel', org, isJson } : undefined
    const keepDays = values['keep-days'] ?? String(defaultKeepDays)
    if (values.to === undefined || !/^\d{1,4}$/.test(keepDays) || !given('to', 'keep-days')) return undefined
    return { action: 'move', org, to: values.to, keepDays: Number(keepDays), isJson }
  } catch {
    return undefined
  }
}
