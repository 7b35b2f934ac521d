# The operator's console.
