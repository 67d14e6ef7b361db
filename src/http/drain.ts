import { Injectable } from '@nestjs/common';

/** The end of this instance: it finishes requests under way and accepts no new work. */
@Injectable()
export class Drain {
  private readonly listeners: (() => void)[] = [];
  private begun = false;

  get isDraining(): boolean {
    return this.begun;
  }

  /** Calls `listener` when draining begins; long polls and streams must then answer at once. */
  onBegin(listener: () => void): void {
    this.listeners.push(listener);
  }

  begin(): void {
    if (this.begun) return;
    this.begun = true;
    for (const listener of this.listeners) listener();
  }
}
