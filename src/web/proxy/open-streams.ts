import type { Response } from 'express';

/** The streams that pass through at the moment: they would keep the server from ending. */
export class OpenStreams {
  private readonly open = new Set<Response>();
  private isEnding = false;

  add(stream: Response): void {
    if (this.isEnding) {
      stream.end();
      return;
    }
    this.open.add(stream);
    stream.once('close', () => this.open.delete(stream));
  }

  /**
   * Ends them without a word of its own, which might fall into the middle of an event: a reader throws away an event
   * that was not finished, connects again, and resumes before it.
   */
  end(): void {
    this.isEnding = true;
    for (const stream of this.open) stream.end();
  }
}
