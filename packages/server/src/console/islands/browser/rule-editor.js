// @ts-check
// The editor of a rule's expression, over the textarea that stays the field of the form: colours, completion, and mistakes where they are.
// Only pages with such a field load it. Its styles are in a shadow root, as sheets that no markup carries, so the policy needs no exception.
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from './editor/codemirror-autocomplete.js'
import { defaultKeymap, history, historyKeymap } from './editor/codemirror-commands.js'
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from './editor/codemirror-language.js'
import { linter, lintKeymap } from './editor/codemirror-lint.js'
import { EditorState } from './editor/codemirror-state.js'
import { drawSelection, EditorView, keymap, lineNumbers } from './editor/codemirror-view.js'
import { tags } from './editor/lezer-highlight.js'

/** @typedef {{ readonly name: string, readonly detail?: string, readonly info?: string }} Word */
/** @typedef {Readonly<Record<'variables' | 'functions' | 'methods', readonly Word[]>>} Words */
/** @typedef {{ readonly org: string, readonly csrfToken: string }} Caller */

const roots = new Set(['run', 'org', 'key', 'customer', 'chain', 'time'])

/** Reads the next token of CEL. @param {import('./editor/codemirror-language.js').StringStream} stream */
function nextToken(stream) {
  if (stream.eatSpace()) return null
  if (stream.match('//')) {
    stream.skipToEnd()
    return 'comment'
  }
  if (stream.match(/^[rR]?"(?:[^"\\]|\\.)*"?/) || stream.match(/^[rR]?'(?:[^'\\]|\\.)*'?/)) return 'string'
  if (stream.match(/^0x[\da-fA-F]+|^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/)) return 'number'
  const word = stream.match(/^[A-Za-z_]\w*/)
  if (word && word !== true) {
    if (word[0] === 'true' || word[0] === 'false' || word[0] === 'null') return 'bool'
    if (word[0] === 'in') return 'keyword'
    if (stream.match(/^\s*\(/, false)) return 'function'
    return roots.has(word[0]) ? 'variableName' : 'propertyName'
  }
  if (stream.match(/^(?:&&|\|\||[=!<>]=|[<>!?:+\-*/%])/)) return 'operator'
  stream.next()
  return 'punctuation'
}

const cel = StreamLanguage.define({
  name: 'cel',
  token: nextToken,
  tokenTable: { function: tags.function(tags.variableName) },
  languageData: { commentTokens: { line: '//' }, closeBrackets: { brackets: ['(', '[', '{', '"', "'"] } },
})

const colours = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--text-3)', fontStyle: 'italic' },
  { tag: tags.string, color: 'var(--ok)' },
  { tag: [tags.number, tags.bool], color: 'var(--warn)' },
  { tag: [tags.keyword, tags.operator], color: 'var(--text-2)', fontWeight: '600' },
  { tag: tags.function(tags.variableName), color: 'var(--accent)' },
  { tag: tags.variableName, color: 'var(--accent-2)', fontWeight: '600' },
])

const looks = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { font: '400 13px / 21px var(--mono)', fontVariantLigatures: 'none' },
  '.cm-content': { padding: '9px 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 12px' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { color: 'var(--text-3)', backgroundColor: 'var(--sunken)', borderRight: '1px solid var(--line)' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 9px', minWidth: '38px' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { background: 'var(--accent-soft) !important' },
  '.cm-tooltip': { background: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line-2)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-completionDetail': { color: 'inherit', opacity: '0.8' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--stop)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--stop)' },
})

/** Returns the completions at a place: what follows a variable, or variables and functions. @param {Words} words */
const completionsOf = (words) => {
  /** @param {string} type @returns {(word: Word) => import('./editor/codemirror-autocomplete.js').Completion} */
  const option =
    (type) =>
    ({ name, ...more }) => ({ label: name, type, ...more })
  const names = [...words.variables.map(option('variable')), ...words.functions.map(option('function'))]
  const methods = words.methods.map(option('method'))
  const variables = new Set(words.variables.map(({ name }) => name))
  /** @param {import('./editor/codemirror-autocomplete.js').CompletionContext} context */
  return (context) => {
    const typed = context.matchBefore(/[A-Za-z_][\w.]*/)
    if (!typed) return context.explicit ? { from: context.pos, options: names } : null
    const end = typed.text.lastIndexOf('.')
    return end > 0 && variables.has(typed.text.slice(0, end))
      ? { from: typed.from + end + 1, options: methods, validFor: /^\w*$/ }
      : { from: typed.from, options: names, validFor: /^[\w.]*$/ }
  }
}

/**
 * Asks the API what is wrong with an expression; returns the message with its place, or undefined.
 * @param {string} expression
 * @param {Caller} caller
 * @returns {Promise<string | undefined>}
 */
async function mistakeIn(expression, { org, csrfToken }) {
  const draft = { name: 'draft', effect: 'block', target: 'model', priority: 1, reason: 'draft', expression }
  const answer = await fetch(`/v1/orgs/${encodeURIComponent(org)}/policies/evaluate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-csrf-token': csrfToken },
    body: JSON.stringify({ run: { model: 'model' }, rules: [draft] }),
  })
  if (answer.status !== 422) return undefined
  const { error } = await answer.json()
  return error?.details?.fields?.find((/** @type {{ field: string }} */ { field }) => field.endsWith('expression'))
    ?.message
}

/**
 * Returns the place that a message names at its end, as a range of the text.
 * @param {string} message
 * @param {import('./editor/codemirror-state.js').Text} text
 */
function rangeOf(message, text) {
  const [, said = message, lineNumber, column] = /^(.*) \(line (\d+), column (\d+)\)$/s.exec(message) ?? []
  if (lineNumber === undefined || Number(lineNumber) > text.lines) return { said: message, from: 0, to: text.length }
  const line = text.line(Number(lineNumber))
  const from = Math.min(line.from + Number(column) - 1, line.to)
  const word = /^\w+/.exec(line.text.slice(from - line.from))?.[0].length ?? 1
  return { said, place: `Line ${lineNumber}, column ${column}: `, from, to: Math.min(from + word, line.to) }
}

/**
 * Replaces a selection by what is typed over it, within the state of the editor. Left to itself, Chromium would keep the colour of the
 * selected text in an inline style, which the policy blocks and reports.
 */
const typedOver = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { main, ranges } = view.state.selection
    const isText = event.inputType === 'insertText' || event.inputType === 'insertReplacementText'
    const text = event.data ?? event.dataTransfer?.getData('text/plain')
    if (!isText || !text || event.isComposing || ranges.every((range) => range.empty)) return false
    const insert = () =>
      view.state.update(view.state.replaceSelection(text), { userEvent: 'input.type', scrollIntoView: true })
    const handlers = view.state.facet(EditorView.inputHandler)
    if (!handlers.some((handle) => handle(view, main.from, main.to, text, insert))) view.dispatch(insert())
    return true
  },
})

/** Puts the editor over a textarea. @param {HTMLTextAreaElement} textarea */
function edit(textarea) {
  const frame = textarea.closest('.editor')
  const form = textarea.form
  if (!frame || !form) return
  const { org = '', words = '{}' } = textarea.dataset
  const token = new FormData(form).get('csrf_token')
  const caller = { org, csrfToken: typeof token === 'string' ? token : '' }
  const host = document.createElement('div')
  const status = document.createElement('p')
  status.className = 'hint'
  status.setAttribute('role', 'status')
  /** @type {import('./editor/codemirror-lint.js').LintSource} */
  const findMistakes = async ({ state }) => {
    const expression = state.doc.toString()
    const message = expression.trim() === '' ? undefined : await mistakeIn(expression, caller).catch(() => undefined)
    if (message === undefined) {
      status.textContent = ''
      return []
    }
    const { said, place = '', from, to } = rangeOf(message, state.doc)
    status.textContent = `${place}${said}`
    return [{ from, to: Math.max(to, from), severity: 'error', message: said }]
  }
  const shadow = host.attachShadow({ mode: 'open' })
  const view = new EditorView({
    parent: shadow,
    root: shadow,
    state: EditorState.create({
      doc: textarea.value,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        typedOver,
        autocompletion({ override: [completionsOf(JSON.parse(words))] }),
        linter(findMistakes, { delay: 500 }),
        cel,
        syntaxHighlighting(colours),
        looks,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          'aria-label': form.querySelector(`label[for="${textarea.id}"]`)?.textContent ?? '',
        }),
        // Tab goes on to the next field, as in every other one.
        keymap.of([...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) textarea.value = update.state.doc.toString()
        }),
      ],
    }),
  })
  frame.classList.add('live')
  frame.append(host)
  frame.after(status)
  // The label, and links to the field, lead to the editor.
  textarea.tabIndex = -1
  textarea.setAttribute('aria-hidden', 'true')
  textarea.addEventListener('focus', () => view.focus())
}

for (const textarea of document.querySelectorAll('textarea'))
  if (textarea.dataset['words'] !== undefined) edit(textarea)
