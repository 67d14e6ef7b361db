import { Injectable } from '@nestjs/common';

/** Whether this instance is ending: it finishes what it has begun and takes no new work. */
@Injectable()
export class Drain {
  private readonly listeners: (() => void)[] = [];
  private begun = false;

  get isDraining(): boolean {
    return this.begun;
  }

  /** Called at once when draining begins: what waits must answer now. */
  onBegin(listener: () => void): void {
    this.listeners.push(listener);
  }

  begin(): void {
    if (this.begun) return;
    this.begun = true;
    for (const listener of this.listeners) listener();
  }
}
