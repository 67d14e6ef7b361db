import { readFileSync } from 'node:fs';
import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { file_otlp } from './generated/otlp_pb.js';

const source = readFileSync('src/telemetry/otlp/otlp.proto', 'utf8');
const FIELD = /^[ \t]*(?:(repeated|optional) )?(\w+) (\w+) = (\d+);$/gm;

const typeOf = ({ message, scalar }: DescField) => message?.name ?? ScalarType[scalar!].toLowerCase();

const allMessages = (messages: readonly DescMessage[]): DescMessage[] =>
  messages.flatMap((message) => [message, ...allMessages(message.nestedMessages)]);

describe('generated/otlp_pb.ts', () => {
  it('has exactly the fields of otlp.proto', () => {
    const written = [...source.matchAll(FIELD)].map(
      ([, , type, name, number]) => `${type} ${name} = ${number}`,
    );
    const generated = allMessages(file_otlp.messages).flatMap(({ fields }) =>
      fields.map((field) => `${typeOf(field)} ${field.name} = ${field.number}`),
    );
    expect(generated.sort()).toEqual(written.sort());
  });
});
