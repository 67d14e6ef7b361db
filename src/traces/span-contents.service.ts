import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { UnreadableTextError } from '../secrets/stored-text-cipher.js';
import type { AgentSpanEntity } from './agent-span.entity.js';
import { SpanContentCipher } from './span-content-cipher.js';
import { type NewContent, SpanContentsRepository } from './span-contents.repository.js';
import type { NewSpan } from './spans.repository.js';

/** Content of a span, as it is shown. */
export interface SpanContent {
  readonly attributes: Record<string, unknown> | null;
  readonly events: unknown[] | null;
  /** Number of events that had no room. */
  readonly dropped_events: number;
  /** Why nothing is shown; null: it is. */
  readonly omitted: string | null;
}

/** Keeps the content of spans, sealed, within the room of each agent. */
@Injectable()
export class SpanContentsService {
  constructor(
    private readonly contents: SpanContentsRepository,
    private readonly cipher: SpanContentCipher,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MAX_CONTENT_BYTES_PER_AGENT'>,
  ) {}

  /** Seals the contents of spans, before the transaction that stores them. @throws UnavailableError */
  async sealed(spans: readonly NewSpan[]): Promise<NewContent[]> {
    const sealed: NewContent[] = [];
    for (const { agentId, timestamp, id, content } of spans) {
      if (content === null) continue;
      sealed.push({ agentId, timestamp, id, content: await this.cipher.seal({ agentId, id }, content) });
    }
    return sealed;
  }

  /** Stores contents. Those for which their agent has no room left today are noted as left out. */
  async store(tx: Transaction, contents: readonly NewContent[]): Promise<void> {
    if (contents.length === 0) return;
    const wanted = new Map<string, number>();
    for (const kept of contents) wanted.set(kept.agentId, (wanted.get(kept.agentId) ?? 0) + bytesOf(kept));
    const stored = await this.contents.claim(tx, wanted);
    const room = new Map(
      [...wanted].map(([id, bytes]) => [
        id,
        this.settings.MAX_CONTENT_BYTES_PER_AGENT - stored.get(id)! + bytes,
      ]),
    );
    const fitting = contents.map((kept) => {
      const left = room.get(kept.agentId)! - bytesOf(kept);
      if (left < 0) return { ...kept, content: null };
      room.set(kept.agentId, left);
      return kept;
    });
    await this.contents.insert(tx, fitting);
  }

  /** True if something is kept of the span, or was left out for its size. */
  has(connection: Connection, span: AgentSpanEntity): Promise<boolean> {
    return this.contents.has(connection, span);
  }

  /** @returns null: nothing is kept of it */
  async read(connection: Connection, span: AgentSpanEntity): Promise<SpanContent | null> {
    const kept = await this.contents.find(connection, span);
    if (!kept) return null;
    if (kept.content === null) return left("The agent's quota of that day was used up");
    try {
      const {
        attributes = null,
        events = null,
        dropped_events = 0,
      } = JSON.parse(this.cipher.open(span, kept.content)) as Partial<SpanContent>;
      return { attributes, events, dropped_events, omitted: null };
    } catch (error) {
      if (error instanceof UnreadableTextError) return left(`It can't be read: it ${error.message}`);
      throw error;
    }
  }
}

function left(omitted: string): SpanContent {
  return { attributes: null, events: null, dropped_events: 0, omitted };
}

function bytesOf({ content }: NewContent): number {
  return content?.length ?? 0;
}
