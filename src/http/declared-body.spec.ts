import { IsIn, IsObject, IsOptional, IsString } from 'class-validator';
import { declaredPart, ListOf, Verbatim } from './declared-body.js';

class Item {
  @IsString()
  name: string;
}

class Body {
  @IsString()
  text: string;

  @IsIn(['a'], { each: true })
  letters: string[];

  @ListOf(() => Item, { max: 2 })
  items: Item[];

  @Verbatim()
  @IsObject()
  anything: object;
}

class Careless {
  @IsOptional()
  @IsObject()
  anything?: object;
}

const wide = { a: 1, b: 2 };

describe('The declared part of a body', () => {
  it('is what its class declares, and the rest is named', () => {
    const text = '{"text":"t","more":1,"__proto__":2,"constructor":3,"items":[{"name":"n","more":4}]}';
    const { body, undeclared } = declaredPart(JSON.parse(text) as Record<string, unknown>, Body);
    expect(body).toEqual({ text: 't', items: [{ name: 'n' }] });
    expect(undeclared).toEqual(['more', '__proto__', 'constructor', 'items.0.more']);
  });

  it('holds no object where none is declared', () => {
    const { body } = declaredPart({ text: wide, letters: ['a', wide, [wide]], items: [[wide], 1] }, Body);
    expect(body).toEqual({ text: {}, letters: ['a', {}, []], items: [[], 1] });
    expect(declaredPart({ text: [wide] }, Body).body).toEqual({ text: [] });
  });

  it('hides what is kept to the letter', () => {
    const { body } = declaredPart({ anything: wide }, Body);
    expect((body.anything as () => unknown)()).toBe(wide);
  });

  it('has no array of more elements than it may have', () => {
    expect(() => declaredPart({ items: [1, 2, 3] }, Body)).toThrow(
      'items must contain no more than 2 elements',
    );
  });

  it('needs to know what an object is that a class takes', () => {
    expect(() => declaredPart({}, Careless)).toThrow('Careless.anything takes objects');
  });
});
