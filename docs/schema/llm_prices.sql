create table llm_prices (
  vendor text not null,
  model text not null,
  input_per_million numeric not null,
  output_per_million numeric not null,
  constraint llm_prices_pkey PRIMARY KEY (vendor, model),
  constraint llm_prices_input_per_million_check CHECK (input_per_million >= 0::numeric),
  constraint llm_prices_model_check CHECK (btrim(model) <> ''::text),
  constraint llm_prices_output_per_million_check CHECK (output_per_million >= 0::numeric),
  constraint llm_prices_vendor_check CHECK (vendor = ANY (ARRAY['chatgpt'::text, 'gemini'::text, 'anthropic'::text]))
);
