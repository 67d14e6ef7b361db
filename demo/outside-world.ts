import { type Agent, type Run, type ServiceClient, unwrap } from '@agent-control-plane/client';
import { any, between, type Pace } from './pace.js';

const CUSTOMERS = [
  'Mia Torres',
  'Jonas Weber',
  'Aiko Mori',
  'Lena Nowak',
  'Paul Girard',
  'Sam Okafor',
  'Ines Rocha',
];
const MESSAGES = [
  'Where is my order?',
  'Can I still change the address?',
  'Is there a paperback of Nine Winters?',
  'The parcel is open and a book is missing.',
  'Do you wrap presents?',
];
const TITLES = [
  'The Salt Road',
  'Nine Winters',
  "The Cartographer's Sister",
  'A House of Paper',
  'Low Water',
];

/** Those who ask the company's agents for work: customers, through the shop's website, which has a key of its own. */
export class OutsideWorld {
  constructor(
    private readonly website: ServiceClient,
    private readonly agents: ReadonlyMap<string, Agent>,
    private readonly pace: Pace,
  ) {}

  /** Goes on until the signal aborts. An outage of the service is passed over. */
  async live(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await Promise.all([this.writesACustomer(), this.sendsAPublisher(), this.returnsACustomer()]).catch(
        () => undefined,
      );
      await this.pace.seconds(between(6, 14), signal).catch(() => undefined);
    }
  }

  async forecast(category: string): Promise<void> {
    if (this.agents.has('sales-forecast'))
      await this.ask('sales-forecast', `Forecast of ${category}`, { category });
  }

  async invoice(): Promise<Run> {
    const input = {
      invoice: between(4_000, 9_999),
      to: any(['Harbour Press', 'Le Phare']),
      euros: between(300, 2_400),
    };
    return this.ask('invoice-payer', `Invoice ${input.invoice}`, input);
  }

  private async writesACustomer(): Promise<void> {
    const [customer, message] = [any(CUSTOMERS), any(MESSAGES)];
    await this.ask('support-desk', `${customer}: ${message}`, { customer, message });
    if (Math.random() < 0.3) await this.forecast(any(['novels', 'travel', 'cookbooks']));
  }

  /** Has three translations waiting at most: a paused agent takes none. */
  private async sendsAPublisher(): Promise<void> {
    const title = any(TITLES);
    if ((await this.open('translator')) < 3) await this.ask('translator', `Translate ${title}`, { title });
  }

  /** Has two refunds waiting at most, because each waits for a person. */
  private async returnsACustomer(): Promise<void> {
    const [customer, title, euros] = [any(CUSTOMERS), any(TITLES), between(1_200, 4_800) / 100];
    if ((await this.open('returns-clerk')) < 2)
      await this.ask('returns-clerk', `Return of ${title}`, { customer, title, euros });
  }

  private async ask(name: string, title: string, input: Record<string, unknown>): Promise<Run> {
    const params = { path: { agent_id: this.agents.get(name)!.id } };
    const retry = { max_attempts: 2, first_delay_seconds: 5 };
    const body = { name: title, input, ...(name === 'support-desk' && { retry }) };
    return unwrap(this.website.POST('/agents/{agent_id}/runs', { params, body }));
  }

  /** How many of its newest runs have not ended. */
  private async open(name: string): Promise<number> {
    const query = { agent_id: this.agents.get(name)!.id, limit: 10 };
    const runs = await unwrap(this.website.GET('/runs', { params: { query } }));
    return runs.filter(({ ended_at }) => ended_at === null).length;
  }
}
