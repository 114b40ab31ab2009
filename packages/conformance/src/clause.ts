/** A test of this repository, named by its file and its title, or by the title of its row where it runs over a table. */
export interface NamedTest {
  readonly file: string
  readonly name: string
}

export interface Clause {
  readonly number: number
  /** What the API promises, in one sentence. */
  readonly promise: string
  readonly shown:
    | { readonly by: 'program' }
    /** What cannot be provoked over HTTP, and why. */
    | { readonly by: 'tests'; readonly because: string }
    /** What belongs to a part of the product that is not served yet. */
    | { readonly by: 'nothing yet'; readonly comesWith: string }
  /** Tests that show the clause where the program cannot, or more of it than the program sees. */
  readonly tests: readonly NamedTest[]
}

export interface Section {
  readonly title: string
  readonly clauses: readonly Clause[]
}

/** A clause that the program checks over HTTP. */
export const checked = (number: number, promise: string, ...tests: NamedTest[]): Clause => ({
  number,
  promise,
  shown: { by: 'program' },
  tests,
})

/** A clause that only somebody with the process, its settings or its source can check. */
export const tested = (
  number: number,
  promise: string,
  because: string,
  ...tests: [NamedTest, ...NamedTest[]]
): Clause => ({
  number,
  promise,
  shown: { by: 'tests', because },
  tests,
})

/** A clause of something that does not exist yet: it neither holds nor fails. */
export const later = (number: number, promise: string, comesWith: string): Clause => ({
  number,
  promise,
  shown: { by: 'nothing yet', comesWith },
  tests: [],
})

export const server = (file: string, name: string): NamedTest => ({ file: `packages/server/${file}`, name })

export const release = (file: string, name: string): NamedTest => ({ file: `scripts/release/${file}.test.ts`, name })
