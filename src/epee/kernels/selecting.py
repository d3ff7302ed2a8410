"""The k smallest of many, in their place.

Hoare's quickselect: a pivot parts the keys in two, and the search goes on in the part that holds the k-th; n + n/2 + n/4 + ... steps
on average. A sort would take n log n, and the compiler seconds.
"""

from epee.kernels.compiling import kernel


@kernel
def select(keys, companions, k):
    """Permute ``keys``, and ``companions`` with them, so that the key of rank ``k`` stands at k, no larger one before, no smaller after."""
    low, high = 0, keys.shape[0] - 1
    while low < high:
        a, b, c = keys[low], keys[(low + high) >> 1], keys[high]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                companions[i], companions[j] = companions[j], companions[i]
                i += 1
                j -= 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            return


@kernel
def replace_largest(keys, companions, key, companion):
    """Put a key, and its companion, in the place of the first ones, which are the largest; the largest of all then comes first."""
    keys[0], companions[0] = key, companion
    top = 0
    for t in range(1, keys.shape[0]):
        if keys[t] > keys[top]:
            top = t
    keys[0], keys[top] = keys[top], keys[0]
    companions[0], companions[top] = companions[top], companions[0]
