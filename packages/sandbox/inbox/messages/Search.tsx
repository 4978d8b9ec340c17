/** Searches the messages by text and by recipient. */
import { Icon } from "../components/Icon.tsx"
import { filter, isFiltered, search } from "../Store.ts"

export const searchId = "search"

export const Search = () => (
  <search class="search">
    <label class="field-with-icon">
      <span class="hidden">Search in text</span>
      <Icon name="search" />
      <input
        id={searchId}
        type="search"
        placeholder="Search text"
        autocomplete="off"
        spellcheck={false}
        value={filter.value.text}
        onInput={({ currentTarget }) => search({ text: currentTarget.value })}
      />
      <kbd aria-hidden="true">/</kbd>
    </label>
    <label>
      <span class="hidden">Search in recipient</span>
      <input
        type="search"
        inputMode="tel"
        placeholder="Recipient"
        autocomplete="off"
        value={filter.value.recipient}
        onInput={({ currentTarget }) => search({ recipient: currentTarget.value })}
      />
    </label>
    {isFiltered.value ? (
      <button type="button" class="quiet" onClick={() => search({ text: "", recipient: "" })}>
        Show all
      </button>
    ) : null}
  </search>
)
