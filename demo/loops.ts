import type { AgentRun, AgentRuntime } from '@agent-control-plane/client/runtime';
import { SONNET } from './company.js';
import { FakeModel } from './fake-model.js';
import { any, between, type Pace } from './pace.js';

/** Finds work of its own. @throws AbortError when the signal aborts */
export type Loop = (runtime: AgentRuntime, signal: AbortSignal) => Promise<void>;

interface Step {
  readonly tool: 'search_catalogue' | 'read_page' | 'take_note';
  readonly args: Record<string, string>;
}

const TASKS = [
  { book: 'The Salt Road', country: 'Poland' },
  { book: 'Nine Winters', country: 'Spain' },
  { book: "The Cartographer's Sister", country: 'France' },
  { book: 'A House of Paper', country: 'Germany' },
  { book: 'Low Water', country: 'Japan' },
] as const;

/** A run that has failed says so itself; the next one is begun all the same. */
function toldAlready(): void {}

/** The agents that ask for no run, but begin their own, by name. */
export function loops(pace: Pace): Readonly<Record<string, Loop>> {
  const model = new FakeModel(pace);

  /** The model says what to do next; null: it knows enough. */
  async function nextStep(run: AgentRun, task: string, steps: readonly Step[], plan: readonly Step[]) {
    const next = plan[steps.length] ?? null;
    const answer = next ? `${next.tool}(${JSON.stringify(next.args)})` : 'I know enough.';
    // each step reads what the earlier ones have found
    const inputTokens = 1_100 + 900 * steps.length;
    const question = { ...SONNET, seconds: 1.5, inputTokens, cachedTokens: 2_400, outputTokens: 160 };
    await model.ask(run, { ...question, prompt: `${task}\nDone so far: ${JSON.stringify(steps)}` }, answer);
    return next;
  }

  /** The loop of an agent: think, act, look at what came of it, and think again. */
  async function research(run: AgentRun, { book, country }: (typeof TASKS)[number]) {
    const task = `Who holds the rights of "${book}" for ${country}?`;
    const publisher = any([
      'Wydawnictwo Most',
      'Editorial Faro',
      'Le Phare',
      'Leuchtturm Verlag',
      'Todai Shobo',
    ]);
    const pages = Array.from({ length: between(1, 4) }, (_, index): Step => ({
      tool: 'read_page',
      args: { url: `https://rights.example/${country.toLowerCase()}?page=${index + 1}` },
    }));
    const plan: Step[] = [
      { tool: 'search_catalogue', args: { book, country } },
      ...pages,
      { tool: 'take_note', args: { text: `${publisher} holds them` } },
    ];
    const steps: Step[] = [];
    return run.span('research', 'agent', async () => {
      for (;;) {
        const step = await nextStep(run, task, steps, plan);
        if (!step) return { task, answer: `${publisher}, until ${between(2027, 2034)}`, steps: steps.length };
        await run.tool(step.tool, step.args, () =>
          pace.seconds(0.6, run.signal).then(() => ({ found: between(1, 9) })),
        );
        steps.push(step);
        run.progress({ percent: (100 * steps.length) / (plan.length + 1), message: step.tool });
        run.log(`Step ${steps.length}: ${step.tool}`);
      }
    });
  }

  async function comparePrices(run: AgentRun) {
    const dearer: string[] = [];
    for (const shop of ['Page & Co', 'Quill', 'Nightjar']) {
      const price = await run.tool('fetch_price', { shop, isbn: '978-0-00-000000-2' }, async () => {
        await pace.seconds(0.5, run.signal);
        return between(1_390, 1_990) / 100;
      });
      if (price < 16.5) dearer.push(`${shop}: ${price}`);
    }
    run.log(dearer.length > 0 ? `Cheaper elsewhere: ${dearer.join(', ')}` : 'Nobody is cheaper');
    return { cheaper_elsewhere: dearer };
  }

  return {
    'rights-scout': async (runtime, signal) => {
      for (let index = 0; ; index++) {
        const task = TASKS[index % TASKS.length]!;
        const begun = runtime.run(`Rights of ${task.book}, ${task.country}`, (run) => research(run, task), {
          input: task,
        });
        await begun.catch(toldAlready);
        await pace.seconds(20, signal);
      }
    },
    'price-watcher': async (runtime, signal) => {
      for (;;) {
        await runtime.run('Compare prices', comparePrices).catch(toldAlready);
        await pace.seconds(45, signal);
      }
    },
  };
}
