import type { AgentRun, RunHandler } from '@agent-control-plane/client/runtime';
import { MINI, OPUS, SONNET } from './company.js';
import { FakeModel } from './fake-model.js';
import { any, between, type Pace } from './pace.js';

const REASONS = [
  'It came with a torn cover.',
  'It was a present, and they have it already.',
  'It is the wrong edition.',
];

/** What each agent does with a run, by its name. */
export function assistants(pace: Pace): Readonly<Record<string, RunHandler>> {
  const model = new FakeModel(pace);
  const input = <Input>(run: AgentRun) => (run.input ?? {}) as Partial<Input>;

  async function answerCustomer(run: AgentRun) {
    const { customer = 'a customer', message = 'Where is my order?' } = input<Record<string, string>>(run);
    run.log(`${customer} asks: ${message}`);
    return run.span('answer a customer', 'agent', async () => {
      const classify = { ...MINI, seconds: 0.6, inputTokens: 420, outputTokens: 12 };
      await model.ask(run, { ...classify, prompt: `What is this about? ${message}` }, 'delivery');
      const order = await run.tool('find_order', { customer }, async (args) => {
        await pace.seconds(0.4, run.signal);
        if (Math.random() < 0.08)
          throw new Error(`GET https://shop.internal/orders?customer=${args.customer}: no answer within 5 s`);
        return { order: between(40_000, 49_999), state: any(['packed', 'sent', 'delivered']) };
      });
      await run.span('search the handbook', 'retrieval', () => pace.seconds(0.3, run.signal));
      const write = { ...SONNET, seconds: 2.5, inputTokens: 1_900, cachedTokens: 3_200, outputTokens: 240 };
      const text = `Your order ${order.order} is ${order.state}. It comes within two days.`;
      const answer = await model.ask(run, { ...write, prompt: `Answer ${customer}: ${message}` }, text);
      run.log(`Order ${order.order} is ${order.state}: answered`);
      return { answer };
    });
  }

  async function refund(run: AgentRun) {
    const {
      customer = 'Mia Torres',
      title = 'The Salt Road',
      euros = 24.5,
    } = input<{
      customer: string;
      title: string;
      euros: number;
    }>(run);
    const read = { ...MINI, seconds: 1.2, inputTokens: 900, outputTokens: 60 };
    const reason = await model.ask(run, { ...read, prompt: `Why does ${customer} return it?` }, any(REASONS));
    run.log(`${customer} returns "${title}": ${reason}`);
    const decision = await run.approve({
      title: `Refund ${euros.toFixed(2)} € to ${customer}`,
      description: `They return "${title}". ${reason}`,
      risk: 'medium',
      action: { name: 'refund', args: { customer, euros, reason } },
      allowedDecisions: ['approve', 'edit', 'reject'],
    });
    return run.tool('refund', decision.args, async ({ euros: paid }) => ({ refunded: paid }));
  }

  async function payInvoice(run: AgentRun) {
    const {
      invoice = 4711,
      to = 'Harbour Press',
      euros = 1_840,
    } = input<{
      invoice: number;
      to: string;
      euros: number;
    }>(run);
    const read = { ...SONNET, seconds: 2, inputTokens: 3_400, outputTokens: 180 };
    await model.ask(run, { ...read, prompt: `Read invoice ${invoice}` }, `${euros} € to ${to}`);
    const decision = await run.approve({
      title: `Pay invoice ${invoice}: ${euros} € to ${to}`,
      risk: 'high',
      action: { name: 'send_payment', args: { invoice, to, euros } },
    });
    const paid = await run.tool('send_payment', decision.args, async (args) => ({
      paid: args.euros,
      to: args.to,
    }));
    run.log(`Invoice ${invoice} is paid`);
    return paid;
  }

  async function translate(run: AgentRun) {
    const { title = 'The Salt Road' } = input<Record<string, string>>(run);
    const languages = ['German', 'French', 'Polish', 'Spanish'];
    for (const [index, language] of languages.entries()) {
      run.progress({ percent: (100 * index) / languages.length, message: language });
      const chapter = { ...OPUS, seconds: 1.6, inputTokens: 9_000, outputTokens: 7_000 };
      await model.ask(run, { ...chapter, prompt: `Translate "${title}" into ${language}` }, `(${language})`);
      run.log(`"${title}" is there in ${language}`);
    }
    return { title, languages };
  }

  async function writePage(run: AgentRun) {
    const { title = 'The Salt Road', from = 'Harbour Press' } = input<Record<string, string>>(run);
    return run.span('write a page', 'agent', async () => {
      await run.tool('fetch_metadata', { title, from }, async () => {
        await pace.seconds(0.5, run.signal);
        return { pages: between(180, 520), price: any([14.9, 18, 22.5]) };
      });
      const write = { ...SONNET, seconds: 2.2, inputTokens: 1_400, outputTokens: 320 };
      const text = await model.ask(
        run,
        { ...write, prompt: `Write about "${title}"` },
        `"${title}" is a journey along the coast.`,
      );
      return { title, text };
    });
  }

  async function readReviews(run: AgentRun) {
    const count = between(12, 40);
    await run.span('embed the reviews', 'embedding', async () => {
      await pace.seconds(0.4, run.signal);
      run.llm({ model: 'text-embedding-3-small', provider: 'openai', usage: { inputTokens: count * 120 } });
    });
    const sum = { ...MINI, seconds: 1.4, inputTokens: count * 130, outputTokens: 210 };
    const summary = await model.ask(
      run,
      { ...sum, prompt: `Sum up ${count} reviews` },
      'Fast delivery is praised, torn covers are not.',
    );
    run.log(`${count} reviews read`);
    return { reviews: count, summary, to_answer: between(0, 3) };
  }

  async function draftLetter(run: AgentRun) {
    const draft = { ...SONNET, seconds: 4, inputTokens: 5_200, outputTokens: 1_100 };
    const text = await model.ask(run, { ...draft, prompt: 'Draft the letter of Friday' }, 'Dear readers, …');
    return { subject: 'Six books for long evenings', text };
  }

  return {
    'support-desk': answerCustomer,
    'returns-clerk': refund,
    'invoice-payer': payInvoice,
    translator: translate,
    'catalogue-writer': writePage,
    'review-reader': readReviews,
    newsletter: draftLetter,
  };
}
