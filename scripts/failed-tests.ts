import { readFileSync } from 'node:fs'

/** Lists the tests of a Vitest JSON report that did not pass: file, name and the first lines of the reason. */
interface Report {
  testResults: {
    name: string
    message: string
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[]
  }[]
}

const report = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Report
for (const file of report.testResults) {
  const path = file.name.slice(file.name.indexOf('packages/'))
  const failed = file.assertionResults.filter(({ status }) => status !== 'passed')
  for (const { fullName, failureMessages } of failed) {
    console.log(`${path}: ${fullName}`)
    for (const line of failureMessages.join('\n').split('\n').slice(0, 4)) console.log(`    ${line.slice(0, 2_000)}`)
  }
  // A failed hook leaves no test that failed, only tests that did not run.
  if (file.message) console.log(`${path}: ${file.message.split('\n')[0]}`)
}
