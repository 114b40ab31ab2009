import { execFileSync } from 'node:child_process'
import { programEnvironment } from './programs.ts'

/**
 * Before tests that start processes: the modules of the program are compiled. Only a process that ends by itself leaves what it has
 * compiled to others, and most processes under test are killed.
 */
export default function compileProgram() {
  const modules = ['api', 'worker'].map((name) => new URL(`../../src/${name}.ts`, import.meta.url).href)
  const program = `for (const module of ${JSON.stringify(modules)}) await import(module); process.exit()`
  execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    env: programEnvironment,
    stdio: 'inherit',
  })
}
