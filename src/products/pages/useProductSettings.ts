/** Editing of a product's settings: the draft, its faults, and saving, resetting and deleting. */
import { useQueryClient } from '@tanstack/react-query';
import { ApiError, call, ifMatchOf } from '../../ui/api.ts';
import { t } from '../../ui/i18n.ts';
import { keyOf, useCall } from '../../ui/query.ts';
import { useScope } from '../../ui/scope.ts';
import { toast } from '../../ui/toast.ts';
import { ConflictError, useDraft } from '../../ui/useDraft.tsx';
import { useDraftOnBlur } from '../../ui/useForm.ts';
import { type Product, products } from '../contract.ts';
import { type Settings, settingsOf, withoutConfig } from './settings.ts';
import { describeSettings, SETTINGS_DRAFT } from './settingsDraft.ts';
import { bodyOf, cacheProduct } from './settingsUndo.ts';

export type ProductSettings = ReturnType<typeof useProductSettings>;

/** @param errorsOf lists what prevents settings from being saved, one sentence each */
export function useProductSettings(product: Product, errorsOf: (settings: Settings) => string[]) {
  const { product: chosen } = useScope();
  const cache = useQueryClient();
  const params = { id: product.id };
  const edited = useDraft({
    draftKey: `product_settings/${product.id}`,
    what: t('Product Settings'),
    loaded: product,
    draftOf: settingsOf,
    codec: SETTINGS_DRAFT,
    shared: { reload: () => call(products.get, { params }), describe: describeSettings },
    onStored: (now) => cacheProduct(cache, now),
  });
  const { stored, draft, changed } = edited;
  const saving = useCall(products.replace);
  const errors = errorsOf(draft);
  const { draftAtBlur, blur } = useDraftOnBlur(draft);

  const save = async (): Promise<boolean> => {
    try {
      if (chosen === null) throw new NoProduct();
      await edited.save((ifMatch) => saving.mutateAsync({ params, body: bodyOf(draft, stored), ifMatch }));
      toast.success(t('Settings saved successfully!'));
      return true;
    } catch (error) {
      if (error instanceof ConflictError) {
        saving.reset();
        return false;
      }
      const isDeleted = error instanceof NoProduct || (await isDeletedProduct(error, product.id));
      toast.error(isDeleted ? t('Please select a product first') : t('Failed to save settings. Please try again.'));
      return false;
    }
  };
  const reset = () => {
    edited.restore();
    saving.reset();
    toast.info(t('Configuration reset to saved values.'));
  };
  const deleteConfig = async () => {
    const body = bodyOf(withoutConfig(settingsOf(stored)), stored);
    try {
      edited.setStored(await call(products.replace, { params, body, ifMatch: ifMatchOf(stored) }));
    } catch (error) {
      // Show what somebody else saved meanwhile before the operator decides again.
      void cache.invalidateQueries({ queryKey: keyOf(products.get, { params }) });
      throw error;
    }
    toast.success(t('Configuration deleted successfully! Product is now using system defaults.'));
  };
  return {
    ...edited,
    errors,
    /** The errors that were there when a field last lost focus; another one is still being typed. */
    visibleErrors: errors.filter((fault) => errorsOf(draftAtBlur).includes(fault)),
    blur,
    canSave: changed && errors.length === 0 && !saving.isPending,
    saving,
    save,
    reset,
    deleteConfig,
  };
}

/** Thrown if the product was deselected while its settings were open. */
class NoProduct extends Error {}

/**
 * Check whether a request failed because the product itself is gone: deleted by somebody else, or no longer accessible.
 */
async function isDeletedProduct(refusal: unknown, id: number): Promise<boolean> {
  if (!(refusal instanceof ApiError) || refusal.status !== 404) return false;
  const again = await call(products.get, { params: { id } }).catch((error: unknown) => error);
  return again instanceof ApiError && again.status === 404;
}
