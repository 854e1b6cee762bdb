/** Asks before a text goes live that has errors, wherever it is saved, and repeats the call with them confirmed. */
import { List } from '@mantine/core';
import { useEffect, useState } from 'react';
import { onConfirmationRequired } from '../../../ui/api.ts';
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx';
import { t } from '../../../ui/i18n.ts';

interface Question {
  readonly id: number;
  readonly errors: readonly string[];
  readonly answer: (confirmed: boolean) => void;
}

export function ConfirmErrorsDialog() {
  const [questions, setQuestions] = useState<readonly Question[]>([]);
  useEffect(() => {
    let id = 0;
    onConfirmationRequired(
      (errors) =>
        new Promise((answer) => {
          const question = { id: ++id, errors, answer };
          setQuestions((before) => [...before, question]);
        }),
    );
    return () => onConfirmationRequired(async () => false);
  }, []);
  const [question] = questions;
  if (!question) return null;
  return (
    <ConfirmDialog
      key={question.id}
      title={t('This text has errors')}
      text={t('It would go live with these:')}
      confirm={t('Make it live with these errors')}
      color="red"
      run={async () => question.answer(true)}
      onDone={() => {}}
      onClose={() => {
        // Of a question that was confirmed, this changes nothing.
        question.answer(false);
        setQuestions((before) => before.slice(1));
      }}
    >
      <List size="sm" spacing={4}>
        {question.errors.map((error) => (
          <List.Item key={error}>{error}</List.Item>
        ))}
      </List>
    </ConfirmDialog>
  );
}
