const shape = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/

export const isVersion = (text: string) => shape.test(text)

/** Orders `0.9.0` before `0.10.0`. */
export function compareVersions(one: string, other: string): number {
  const parts = (version: string) => version.split('.').map(Number)
  const [a, b] = [parts(one), parts(other)]
  return a.map((part, i) => part - b[i]!).find((difference) => difference !== 0) ?? 0
}
