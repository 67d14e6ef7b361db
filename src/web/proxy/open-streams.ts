import type { Response } from 'express';

/** The streams that are being forwarded; they must be ended before the server can end. */
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
   * Ends all streams without sending an event, which could land inside another one. A browser drops the unfinished event,
   * connects again, and resumes before it.
   */
  end(): void {
    this.isEnding = true;
    for (const stream of this.open) stream.end();
  }
}
