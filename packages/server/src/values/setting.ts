/** One setting: its parser, default and documentation. */
export interface Setting<T> {
  readonly variable: string
  readonly describe: string
  /** Default as text for people; a variable without one is required. */
  readonly otherwise?: string
  readonly parse: (text: string) => T
  readonly fallback?: (config: Record<string, unknown>) => T
  /** Replacement of a deprecated variable. */
  readonly replacedBy?: string
  /** True for a secret, which may instead be read from the file that the `…_FILE` variable names. */
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
export const optional = <T, F>(
  base: Setting<T>,
  otherwise: string,
  fallback: (config: Record<string, unknown>) => F,
): Setting<T | F> => ({ ...base, otherwise, fallback })
export const defaulted = <T>(base: Setting<T>, text: string) => optional(base, text, () => base.parse(text))
