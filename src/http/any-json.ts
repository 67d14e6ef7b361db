import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { Taken } from './request-fields.js';

/** Declares a property that may be any JSON value, and keeps it unchanged. @param read converts the value */
export const AnyJson = (
  read = (value: unknown, _body: Record<string, unknown>, _name: string): unknown => value,
) =>
  applyDecorators(
    Taken(),
    Transform(({ obj, key }: { obj: Record<string, unknown>; key: string }) => read(obj[key], obj, key)),
  );
