import { writeFileSync } from 'node:fs';
import { AgentNotStartedError, AgentProcess } from './agent-process.js';
import { RULES } from './checks/all-checks.js';
import { asJunit } from './junit.js';
import { type Options, readOptions, USAGE, UsageError } from './options.js';
import { asJson, listed, summary, told, totalsOf } from './report.js';
import { type Outcome, runScenario } from './run-scenario.js';
import { SCENARIOS } from './scenarios/all-scenarios.js';
import { newIdentity } from './service/played-service.js';

const [FAILED, WRONG_USAGE] = [1, 2];
/** Time between SIGTERM and the kill of the agent; milliseconds. */
const END_PATIENCE_MS = 20_000;

try {
  const options = readOptions(process.argv.slice(2));
  if (options.wants === 'help') process.stdout.write(USAGE);
  else if (options.wants === 'list') list();
  else process.exitCode = await run(options);
} catch (error) {
  const isKnown =
    error instanceof UsageError || error instanceof AgentNotStartedError || isToldBySystem(error);
  if (!isKnown) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = WRONG_USAGE;
}

/** An error with a code of the system, such as a taken address or an unwritable file: its message is sufficient. */
function isToldBySystem(error: unknown): error is Error {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return ['EADDRINUSE', 'EACCES', 'ENOENT', 'ENOTDIR', 'EISDIR', 'EROFS'].includes(code);
}

function list(): void {
  const scenarios = SCENARIOS.map(({ name, title }) => `  ${name.padEnd(20)} ${title}`);
  const lines = [
    'Scenarios:',
    ...scenarios,
    '',
    'Checks (a failure names the section of the documentation that explains it):',
    ...RULES.map(listed),
    '',
  ];
  process.stdout.write(lines.join('\n'));
}

/** @returns the exit code */
async function run(options: Options): Promise<number> {
  const outcomes: Outcome[] = [];
  const queue = [...options.scenarios];
  const launch = options.command && AgentProcess.launch(options.command);
  const identity = launch ? undefined : newIdentity();
  const worker = async () => {
    for (let scenario = queue.shift(); scenario; scenario = queue.shift()) {
      const { name } = scenario;
      const outcome = await runScenario(scenario, {
        ...options,
        launch,
        endPatienceMs: END_PATIENCE_MS,
        identity,
        whenOpen: (url, { key }) => {
          if (launch) return;
          process.stderr.write(
            `${name}: start the agent now, anew, with SERVICE_API_URL=${url} SERVICE_AGENT_KEY=${key}\n`,
          );
        },
      });
      outcomes.push(outcome);
      if (!options.isJson) process.stdout.write(`${told(outcome)}\n`);
    }
  };
  await Promise.all(Array.from({ length: options.jobs }, worker));
  const totals = totalsOf(outcomes);
  process.stdout.write(options.isJson ? `${asJson(outcomes)}\n` : `\n${summary(totals)}\n`);
  if (options.junit !== undefined) writeFileSync(options.junit, asJunit(outcomes, options));
  const failed = options.isStrict ? totals.failed : totals.failed - totals.advice;
  const counted = failed + (options.allowsUnjudged ? 0 : totals.unjudged);
  return counted === 0 ? 0 : FAILED;
}
