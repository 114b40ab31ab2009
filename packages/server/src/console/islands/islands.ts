import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { App } from '../../contract/routes.ts'
import { recordIn } from '../../values/records.ts'
import { readEditorModules } from './editor-modules.ts'

/** Scripts of our own: `console.js` imports the others, and `rule-editor.js` only on pages with a field for it. */
const names = ['console.js', 'keys.js', 'live.js', 'palette.js', 'rule-editor.js'] as const

/** A module of the code editor, ready to be sent. */
interface EditorModule {
  readonly text: string
  readonly compressed: Buffer
  readonly etag: string
}

let modules: ReadonlyMap<string, EditorModule> | undefined

/** Returns the modules of the code editor by file name; they are read when somebody first asks for one. */
function editorModules(): ReadonlyMap<string, EditorModule> {
  modules ??= new Map(
    [...readEditorModules()].map(([name, text]) => [
      name,
      {
        text,
        compressed: gzipSync(text),
        etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`,
      },
    ]),
  )
  return modules
}

const scriptType = 'text/javascript; charset=utf-8'

/** Serves the scripts of pages. Each makes something faster that also works without it. */
export function serveScripts(app: App) {
  for (const name of names) {
    const text = readFileSync(new URL(`./browser/${name}`, import.meta.url), 'utf8')
    app.get(`/console/${name}`, (_request, reply) =>
      reply.type(scriptType).header('cache-control', 'no-cache').send(text),
    )
  }
  app.get('/console/editor/:name.js', (request, reply) => {
    const { name } = recordIn(request.params)
    const found = editorModules().get(`${String(name)}.js`)
    if (!found) return reply.callNotFound()
    reply
      .type(scriptType)
      .header('cache-control', 'no-cache')
      .header('etag', found.etag)
      .header('vary', 'accept-encoding')
    if (request.headers['if-none-match'] === found.etag) return reply.code(304).send()
    const isCompressed = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    return isCompressed ? reply.header('content-encoding', 'gzip').send(found.compressed) : reply.send(found.text)
  })
}
