import type { AgentRun } from '@agent-control-plane/client/runtime';
import { between, type Pace } from './pace.js';

export interface Question {
  readonly model: string;
  readonly provider: string;
  readonly seconds: number;
  readonly inputTokens: number;
  readonly cachedTokens?: number;
  readonly outputTokens: number;
  readonly prompt: string;
}

/** A model that knows its answers by heart. It takes its time, and is told to the service like any other: tokens, and so dollars. */
export class FakeModel {
  constructor(private readonly pace: Pace) {}

  /** @returns the answer @throws the reason why the run is to end early */
  ask(run: AgentRun, question: Question, answer: string): Promise<string> {
    const { model, provider, seconds, inputTokens, cachedTokens = 0, outputTokens, prompt } = question;
    return run.span(`chat ${model}`, 'llm', async () => {
      await this.pace.seconds(seconds * (0.7 + 0.6 * Math.random()), run.signal);
      run.llm({
        model,
        provider,
        usage: {
          inputTokens: about(inputTokens),
          cacheReadTokens: about(cachedTokens),
          outputTokens: about(outputTokens),
        },
        input: [{ role: 'user', content: prompt }],
        output: [{ role: 'assistant', content: answer }],
      });
      return answer;
    });
  }
}

function about(count: number): number {
  return between(0.85 * count, 1.15 * count);
}
