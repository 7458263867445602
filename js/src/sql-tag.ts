/** The text of a tagged template, with `$1`, `$2`, … in place of the values. */
export function templateText(strings: TemplateStringsArray): string {
  return strings.reduce((text, part, index) => `${text}$${index}${part}`);
}
