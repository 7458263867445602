import { checked, type Kind, reading } from '../check.js';

const template: Kind<readonly string[]> = {
  takes: 'the text of a template: call it as a tag',
  is: (value): value is readonly string[] =>
    Array.isArray(value) && value.every((part) => typeof part === 'string'),
};

/** The text of a tagged template, with `$1`, `$2`, … in place of the values. */
export function templateText(given: unknown): string {
  const strings = checked('sql', given, template);
  return reading('sql', given, template.takes, () =>
    strings.reduce((text, part, index) => (index === 0 ? part : `${text}$${index}${part}`), ''),
  );
}
