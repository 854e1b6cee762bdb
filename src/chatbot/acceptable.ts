/** A model's rubbish never reaches a lead. */

/** Why a text cannot be sent to a person, or null when it can. */
export function unacceptable(answer: string): string | null {
  // Characters without width are nothing to read.
  const text = answer.replaceAll(/[\u200b\u200c\u2060\ufeff]/g, '').trim();
  if (text === '') return 'the answer is empty';
  if (text.length > 20_000) return 'the answer is absurdly long';
  if (/^(?:\{\s*(?:["'{[}]|\w+\s*:)|\[\s*(?:["'{[\]]|-?\d+\s*,))/.test(text))
    return 'the answer is data, not a sentence';
  if (text.startsWith('```')) return 'the answer is code';
  if (
    /\[\/?INST\]|<\|[^|>]{1,40}\|>|<\/?(?:think|tool_call|function|s|im_start|im_end|lead_facts|system|assistant|user)\b[^>]*>/i.test(
      text,
    )
  ) {
    return 'the answer holds control words of the model';
  }
  if (/^(?:<[a-z]{2}(?:-[a-z]{2})?>|\[[a-z]{2}(?:-[a-z]{2})?\]|<lang\b)/i.test(text))
    return 'the answer begins with a language tag';
  if (/\{\{[^}]*\}\}|\{%[^%]*%\}/.test(text)) return 'the answer holds an unfilled template';
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffd]/.test(text)) return 'the answer holds control characters';
  if (/^(?:assistant|user|system)\s*:/i.test(text)) return 'the answer begins with a role';
  return null;
}
