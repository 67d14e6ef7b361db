import {
  Allow,
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsOptional,
  IsString,
  IsUUID,
  MaxLength,
  ValidateBy,
  ValidateIf,
  ValidateNested,
  validateSync,
} from 'class-validator';
import { keepsRules } from './kept-rules.js';

class Named {
  @IsString()
  @MaxLength(3)
  name: unknown = 'abc';
}

class Tool extends Named {
  @IsOptional()
  @IsIn(['a', 'b'])
  choice?: unknown;

  @ValidateIf((_, value) => value !== undefined)
  @IsUUID('loose', { each: true })
  @ArrayMaxSize(2)
  @IsArray()
  ids?: unknown;

  @Allow()
  note?: unknown;

  @ValidateBy({
    name: 'isNotTheName',
    validator: { validate: (value, rule) => value !== (rule!.object as Tool).name },
  })
  other: unknown = 'xyz';
}

class Renamed extends Named {
  @MaxLength(5)
  override name: unknown = 'abcde';
}

class Holder {
  @ValidateNested()
  tool = new Tool();
}

class PerhapsBoolean {
  @IsBoolean({ validateIf: (_, value) => value !== null })
  flag: unknown = null;
}

const ID = '0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11';

it.each<[string, object]>([
  ['defaults', {}],
  ['an inherited rule is broken', { name: 'abcd' }],
  ['an inherited value is missing', { name: undefined }],
  ['an optional value is right', { choice: 'a' }],
  ['an optional value is wrong', { choice: 'c' }],
  ['an optional value is null', { choice: null }],
  ['a conditional value is null', { ids: null }],
  ['a list is right', { ids: [ID, ID] }],
  ['a list is empty', { ids: [] }],
  ['an entry of a list is wrong', { ids: [ID, 'x'] }],
  ['a list is too long', { ids: [ID, ID, ID] }],
  ['a list is a text', { ids: ID }],
  ['a value without rules is there', { note: {} }],
  ['a rule about two values is broken', { name: 'abc', other: 'abc' }],
])('An instance keeps its rules if validateSync finds none broken, when %s', (_, values) => {
  const tool = Object.assign(new Tool(), values);
  expect(keepsRules(tool)).toBe(validateSync(tool).length === 0);
});

it.each(['abcd', 'abcdef', 7])('A rule of a class precedes the inherited one of its kind, for %s', (name) => {
  const renamed = Object.assign(new Renamed(), { name });
  expect(keepsRules(renamed)).toBe(validateSync(renamed).length === 0);
});

it('An instance is left to validateSync when its class has rules of other kinds', () => {
  expect([new Holder(), new PerhapsBoolean()].map(keepsRules)).toEqual([false, false]);
});
