import { Injectable } from '@nestjs/common';
import type { Request } from 'express';

/** A request that was answered with an error. */
export interface Refusal {
  readonly request: Request;
  readonly error: unknown;
  readonly status: number;
}

/** Notifies listeners of refused requests, including those that no guard has seen. */
@Injectable()
export class Refusals {
  private readonly handlers: ((refusal: Refusal) => void)[] = [];

  onRefused(handler: (refusal: Refusal) => void): void {
    this.handlers.push(handler);
  }

  note(refusal: Refusal): void {
    for (const handler of this.handlers) handler(refusal);
  }
}
