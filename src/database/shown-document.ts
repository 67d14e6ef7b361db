import { getMetadataArgsStorage } from 'typeorm';
import { toIsoText } from './row-values.js';

/** A value of a document: SQL that is never null, whose text has no line break and no tab in it, and how its JSON is made of that. */
export interface ShownColumn {
  readonly sql: string;
  /** `json`: the text is it. `quoted`: it lacks the quotes. `time`: PostgreSQL's text of a time, or empty for null. */
  readonly as: 'json' | 'quoted' | 'time';
}

/** @param sql for a text, or for a value of another type whose JSON is a text */
export const shownText = (sql: string): ShownColumn => ({
  sql: `coalesce(to_json(${sql}), 'null')`,
  as: 'json',
});

/** @param sql for a time */
export const shownTime = (sql: string): ShownColumn => ({ sql: `coalesce(${sql}::text, '')`, as: 'time' });

const shownNumber = (sql: string, isNullable: boolean): ShownColumn => ({
  sql: isNullable ? `coalesce(${sql}::text, 'null')` : sql,
  as: 'json',
});

const COLUMN_OF_TYPE: Readonly<Record<string, (sql: string, isNullable: boolean) => ShownColumn>> = {
  text: (sql, isNullable) => (isNullable ? shownText(sql) : { sql: `to_json(${sql})`, as: 'json' }),
  uuid: (sql, isNullable) => (isNullable ? shownText(sql) : { sql, as: 'quoted' }),
  timestamptz: (sql, isNullable) => (isNullable ? shownTime(sql) : { sql, as: 'time' }),
  smallint: shownNumber,
  integer: shownNumber,
  bigint: shownNumber,
  jsonb: (sql, isNullable) => ({ sql: isNullable ? `coalesce(${sql}, 'null')` : sql, as: 'json' }),
};

/** Each property of an entity, as a document shows it. @param alias of the table in the statement */
export function shownColumns<Entity extends object>(
  entity: new () => Entity,
  alias: string,
): Readonly<Record<keyof Entity, ShownColumn>> {
  const columns = getMetadataArgsStorage()
    .filterColumns(entity)
    .map(({ propertyName, options }): [string, ShownColumn] => {
      const type = options.type as string;
      const toColumn = COLUMN_OF_TYPE[type];
      if (!toColumn) throw new Error(`A document can not show ${propertyName}: it is of the type ${type}`);
      return [
        propertyName,
        toColumn(`"${alias}"."${options.name ?? propertyName}"`, options.nullable === true),
      ];
    });
  return Object.fromEntries(columns) as Record<keyof Entity, ShownColumn>;
}

/**
 * Documents whose values PostgreSQL sends as texts, and around which the service writes the names of the fields. A list of
 * 50 agents takes PostgreSQL a third less time than with `row_to_json`, which looks up the type of each value of each row.
 */
export class ShownDocument<Property extends string> {
  /** SQL for each value, once. */
  readonly values: readonly string[];
  private readonly parts: readonly {
    /** The name, and the quote before the value if it needs one. */
    readonly before: string;
    readonly index: number;
    readonly isTime: boolean;
  }[];
  private readonly end: string;

  /** @param fields the fields of the document, each with the property that it shows; at least one */
  constructor(fields: Readonly<Record<string, Property>>, columns: Readonly<Record<Property, ShownColumn>>) {
    const properties = [...new Set(Object.values(fields))];
    this.values = properties.map((property) => columns[property].sql);
    let before = '{';
    this.parts = Object.entries(fields).map(([field, property]) => {
      const { as } = columns[property];
      const quote = as === 'quoted' ? '"' : '';
      const part = {
        before: `${before}${JSON.stringify(field)}:${quote}`,
        index: properties.indexOf(property),
        isTime: as === 'time',
      };
      before = `${quote},`;
      return part;
    });
    this.end = `${before.slice(0, -1)}}`;
  }

  /** The JSON of a document. @param texts of {@link values} @param first the place of the first one */
  write(texts: readonly string[], first: number): string {
    let document = '';
    for (const { before, index, isTime } of this.parts) {
      const text = texts[first + index]!;
      document += before + (isTime ? jsonOfTime(text) : text);
    }
    return document + this.end;
  }
}

function jsonOfTime(text: string): string {
  return text === '' ? 'null' : `"${toIsoText(text)}"`;
}
