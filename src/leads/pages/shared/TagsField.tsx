import { TagsInput, type TagsInputProps } from '@mantine/core';
import { MAX_TAG_LENGTH, MAX_TAGS, uniqueTags } from '../../../products/tagContract.ts';
import { t } from '../../../ui/i18n.ts';
import { useEndpoint } from '../../../ui/query.ts';
import { useScope } from '../../../ui/scope.ts';
import { leadFacets } from '../../listContract.ts';

interface TagsFieldProps extends Pick<TagsInputProps, 'label' | 'description' | 'placeholder' | 'size' | 'disabled'> {
  'data-autofocus'?: boolean;
  /** The product whose tags are suggested; by default the chosen one. */
  productId?: number;
  value: readonly string[];
  onChange: (tags: readonly string[]) => void;
}

/** Milliseconds for which suggested tags may be older than the leads. */
const FACETS_ARE_FRESH_MS = 60_000;

/** Input of tags: what is typed, and tags in use as suggestions. Enter or a comma ends a tag. */
export function TagsField({ value, onChange, productId, ...props }: TagsFieldProps) {
  const { product } = useScope();
  const id = productId ?? product?.id ?? 0;
  const { data } = useEndpoint(
    leadFacets,
    { query: { product_id: id } },
    { enabled: id !== 0, staleTime: FACETS_ARE_FRESH_MS },
  );
  return (
    <TagsInput
      {...props}
      value={[...value]}
      data={data?.tags.map(({ tag }) => tag) ?? []}
      splitChars={[',']}
      maxTags={MAX_TAGS}
      maxLength={MAX_TAG_LENGTH}
      clearable
      acceptValueOnBlur
      // A dialog that opens with the cursor here would lie under the suggestions.
      openOnFocus={props['data-autofocus'] !== true}
      // The frame around shows the focus.
      styles={{ inputField: { outline: 'none', minWidth: '5ch' } }}
      placeholder={value.length === 0 ? (props.placeholder ?? t('Add a tag')) : ''}
      onChange={(tags) => onChange(uniqueTags(tags.map((one) => one.trim()).filter((one) => one !== '')))}
    />
  );
}
