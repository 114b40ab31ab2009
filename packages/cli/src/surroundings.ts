/** What is around the program: a process has all of it, and a test can give its own. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
  exitCode?: number | string | null | undefined
}

export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }
