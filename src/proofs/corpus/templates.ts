/** Templates as people write them: what is marked as wrong. What is not, the engine has to read. */

import { renderTemplate } from '../../prompts/template.ts';
import { findTemplateErrors, templateErrorText } from '../../prompts/templateErrors.ts';
import templates from '../../prompts/templates.corpus.json' with { type: 'json' };
import { type CorpusFile, corpusOf } from './corpus.ts';

interface TemplateCase {
  readonly kind: string;
  readonly language?: string;
  readonly template: string;
  readonly errors: readonly string[];
}

const file: CorpusFile<TemplateCase> = templates;
const values = { lead: { name: 'Anna', stage: 'ongoing', crm_fields: { tags: ['a', 'b'] } } };

export const TEMPLATES = corpusOf('templates', file, ({ template, errors }) => {
  const found = findTemplateErrors(template, new Set()).map(templateErrorText);
  const rendered = renderTemplate({ text: template, values, parts: {}, forbidEmpty: false });
  return {
    input: template,
    expected: errors.toSorted().join(', '),
    actual: found.length === 0 && rendered.kind === 'refused' ? rendered.reason : found.toSorted().join(', '),
  };
});
