import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../../..', import.meta.url))

/** A block of code in a document. */
export interface GuideBlock {
  /** The path of the document in the repository. */
  readonly page: string
  readonly line: number
  readonly language: string
  readonly code: string
  /** Why nobody runs it, if nobody does. */
  readonly notRun: string | undefined
  /** The status of the refusal that it shows, if it shows one. */
  readonly refused: number | undefined
}

const fence = /^( *)```([^\n]*)\n([\s\S]*?)^\1```$/gm

/**
 * Reads the blocks of a document. What a reader need not see follows the language of a fence:
 * `not-run="REASON"` where no test can run it, `refused=STATUS` where the API refuses what it shows.
 */
export function blocksOf(page: string, text: string): GuideBlock[] {
  return [...text.matchAll(fence)].map(({ index, 1: indent = '', 2: info = '', 3: code = '' }) => {
    const [language = ''] = info.split(' ')
    const refused = / refused=(\d{3})\b/.exec(info)?.[1]
    return {
      page,
      line: text.slice(0, index).split('\n').length,
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      notRun: / not-run="([^"]*)"/.exec(info)?.[1],
      refused: refused === undefined ? undefined : Number(refused),
    }
  })
}

/** Documents of the project for people who use it or work on it. Records of decisions and of changes tell nobody what to do. */
export const documents: readonly string[] = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'],
  {
    cwd: root,
    encoding: 'utf8',
  },
)
  .trim()
  .split('\n')
  .filter((path) => existsSync(join(root, path)) && !path.startsWith('docs/adr/') && path !== 'CHANGELOG.md')

export const guideBlocks: readonly GuideBlock[] = documents.flatMap((path) =>
  blocksOf(path, readFileSync(join(root, path), 'utf8')),
)

export const isShell = ({ language }: Pick<GuideBlock, 'language'>) => language === 'sh' || language === 'bash'
