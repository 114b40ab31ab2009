/** One setting: how to read it, and how to explain it. */
export interface Setting<T> {
  readonly variable: string
  readonly describe: string
  /** What applies when the variable is unset, as text for people; without it the variable is required. */
  readonly otherwise?: string
  readonly parse: (text: string) => T
  readonly fallback?: (config: Record<string, unknown>) => T
  /** Set for a variable on its way out: what to use instead. */
  readonly replacedBy?: string
  /** A secret may stand in a file instead, which a variable of the same name with `_FILE` names. */
  readonly isSecret?: true
}

export const setting = <T>(variable: string, describe: string, parse: (text: string) => T): Setting<T> => ({
  variable,
  describe,
  parse,
})
export const secretSetting = <T>(variable: string, describe: string, parse: (text: string) => T): Setting<T> => ({
  ...setting(variable, describe, parse),
  isSecret: true,
})
export const optional = <T, F>(base: Setting<T>, otherwise: string, fallback: (config: Record<string, unknown>) => F) =>
  ({ ...base, otherwise, fallback }) as Setting<T | F>
export const defaulted = <T>(base: Setting<T>, text: string) => optional(base, text, () => base.parse(text))
