"""The update rules of the optimizers in NumPy, as their papers and documented rules state them."""

import numpy as np


class Rule:
    """One rule with its state; `dense_slots` says that rows without gradient change too."""

    dense_slots = False

    def __init__(self, shape, **parameters):
        self.parameters = dict(parameters)
        self.state = {name: np.full(shape, value) for name, value in self.initial(self.parameters).items()}
        self.time = 0

    def initial(self, parameters):
        return {}

    def step(self, variable, gradient):
        """The variable after a step along a dense gradient."""
        self.time += 1
        state, moved = self.moved(self.state, variable, gradient, **self.parameters)
        self.state.update(state)
        return moved

    def sparse_step(self, variable, values, rows):
        """The variable after a step along rows, those named twice summed first."""
        gradient = np.zeros_like(variable)
        np.add.at(gradient, rows, values)
        if self.dense_slots:
            return self.step(variable, gradient)
        named = np.unique(rows)
        self.time += 1
        part, moved = self.moved(
            {name: value[named] for name, value in self.state.items()},
            variable[named],
            gradient[named],
            **self.parameters,
        )
        for name, value in part.items():
            self.state[name][named] = value
        result = variable.copy()
        result[named] = moved
        return result


class GradientDescent(Rule):
    def moved(self, state, w, g, learning_rate):
        return {}, w - learning_rate * g


class Momentum(Rule):
    def initial(self, parameters):
        return {"momentum": 0.0}

    def moved(self, state, w, g, learning_rate, momentum, use_nesterov=False):
        total = momentum * state["momentum"] + g
        return {"momentum": total}, w - learning_rate * (g + momentum * total if use_nesterov else total)


class Adam(Rule):
    dense_slots = True

    def initial(self, parameters):
        return {"m": 0.0, "v": 0.0}

    def moved(self, state, w, g, learning_rate, beta1, beta2, epsilon):
        m = beta1 * state["m"] + (1 - beta1) * g
        v = beta2 * state["v"] + (1 - beta2) * g**2
        rate = learning_rate * np.sqrt(1 - beta2**self.time) / (1 - beta1**self.time)
        return {"m": m, "v": v}, w - rate * m / (np.sqrt(v) + epsilon)


class AdaMax(Rule):
    def initial(self, parameters):
        return {"m": 0.0, "v": 0.0}

    def moved(self, state, w, g, learning_rate, beta1, beta2, epsilon):
        m = beta1 * state["m"] + (1 - beta1) * g
        v = np.maximum(beta2 * state["v"], np.abs(g))
        return {"m": m, "v": v}, w - learning_rate / (1 - beta1**self.time) * m / (v + epsilon)


class AddSign(Rule):
    # The means of all rows decay; rows without gradient move by nothing.
    dense_slots = True

    def initial(self, parameters):
        return {"m": 0.0}

    def factor(self, agreement, alpha):
        return alpha + agreement

    def moved(self, state, w, g, learning_rate, beta, **strength):
        m = beta * state["m"] + (1 - beta) * g
        return {"m": m}, w - learning_rate * self.factor(np.sign(g) * np.sign(m), **strength) * g


class PowerSign(AddSign):
    def factor(self, agreement, base):
        # The optimizer takes a number, whose logarithm is one of float32.
        return np.exp(np.float64(np.float32(np.log(base))) * agreement)


class LazyAdam(Adam):
    dense_slots = False


class Nadam(Adam):
    def moved(self, state, w, g, learning_rate, beta1, beta2, epsilon):
        new, _ = super().moved(state, w, g, learning_rate, beta1, beta2, epsilon)
        rate = learning_rate * np.sqrt(1 - beta2**self.time) / (1 - beta1**self.time)
        return new, w - rate * (beta1 * new["m"] + (1 - beta1) * g) / (np.sqrt(new["v"]) + epsilon)

    def sparse_step(self, variable, values, rows):
        gradient = np.zeros_like(variable)
        np.add.at(gradient, rows, values)
        named, moved = np.unique(rows), variable.copy()
        moved[named] = self.step(variable, gradient)[named]
        return moved


class AdamW(Adam):
    def initial(self, parameters):
        self.weight_decay = parameters.pop("weight_decay")
        return super().initial(parameters)

    def step(self, variable, gradient):
        return super().step(variable * (1 - self.weight_decay), gradient)

    def sparse_step(self, variable, values, rows):
        decayed = variable.copy()
        decayed[np.unique(rows)] *= 1 - self.weight_decay
        gradient = np.zeros_like(variable)
        np.add.at(gradient, rows, values)
        return Adam.step(self, decayed, gradient)


class MomentumW(Momentum):
    def initial(self, parameters):
        self.weight_decay = parameters.pop("weight_decay")
        return super().initial(parameters)

    def moved(self, state, w, g, **parameters):
        return super().moved(state, w * (1 - self.weight_decay), g, **parameters)


class RMSProp(Rule):
    def initial(self, parameters):
        return {"rms": 1.0, "momentum": 0.0} | ({"mg": 0.0} if parameters.get("centered") else {})

    def moved(self, state, w, g, learning_rate, decay, momentum, epsilon, centered=False):
        new = {"rms": decay * state["rms"] + (1 - decay) * g**2}
        spread = new["rms"]
        if centered:
            new["mg"] = decay * state["mg"] + (1 - decay) * g
            spread = spread - new["mg"] ** 2
        new["momentum"] = momentum * state["momentum"] + learning_rate * g / np.sqrt(spread + epsilon)
        return new, w - new["momentum"]


class Adagrad(Rule):
    def initial(self, parameters):
        return {"accumulator": parameters["initial_accumulator_value"]}

    def moved(self, state, w, g, learning_rate, initial_accumulator_value):
        total = state["accumulator"] + g**2
        return {"accumulator": total}, w - learning_rate * g / np.sqrt(total)


class AdagradDA(Rule):
    def initial(self, parameters):
        return {
            "gradient_accumulator": 0.0,
            "gradient_squared_accumulator": parameters["initial_gradient_squared_accumulator_value"],
        }

    def moved(
        self,
        state,
        w,
        g,
        learning_rate,
        initial_gradient_squared_accumulator_value,
        l1_regularization_strength,
        l2_regularization_strength,
    ):
        total = state["gradient_accumulator"] + g
        squares = state["gradient_squared_accumulator"] + g**2
        size = np.maximum(np.abs(total) - l1_regularization_strength * self.time, 0.0)
        pull = l2_regularization_strength * self.time * learning_rate + np.sqrt(squares)
        new = {"gradient_accumulator": total, "gradient_squared_accumulator": squares}
        return new, -learning_rate * np.sign(total) * size / pull


class Adadelta(Rule):
    def initial(self, parameters):
        return {"accum": 0.0, "accum_update": 0.0}

    def moved(self, state, w, g, learning_rate, rho, epsilon):
        mean = rho * state["accum"] + (1 - rho) * g**2
        step = g * np.sqrt(state["accum_update"] + epsilon) / np.sqrt(mean + epsilon)
        steps = rho * state["accum_update"] + (1 - rho) * step**2
        return {"accum": mean, "accum_update": steps}, w - learning_rate * step


class Ftrl(Rule):
    def initial(self, parameters):
        return {"accum": parameters["initial_accumulator_value"], "linear": 0.0}

    def moved(
        self,
        state,
        w,
        g,
        learning_rate,
        learning_rate_power,
        initial_accumulator_value,
        l1_regularization_strength,
        l2_regularization_strength,
    ):
        total = state["accum"] + g**2
        slope, old_slope = total**-learning_rate_power, state["accum"] ** -learning_rate_power
        linear = state["linear"] + g - (slope - old_slope) / learning_rate * w
        pull = np.sign(linear) * l1_regularization_strength - linear
        moved = pull / (slope / learning_rate + 2 * l2_regularization_strength)
        return {"accum": total, "linear": linear}, np.where(np.abs(linear) > l1_regularization_strength, moved, 0.0)


def shrunk(w, rate, l1, l2):
    """The proximal operator of the L1 and L2 penalties."""
    return np.sign(w) * np.maximum(np.abs(w) - rate * l1, 0.0) / (1 + rate * l2)


class ProximalGradientDescent(Rule):
    def moved(self, state, w, g, learning_rate, l1_regularization_strength, l2_regularization_strength):
        moved = w - learning_rate * g
        return {}, shrunk(moved, learning_rate, l1_regularization_strength, l2_regularization_strength)


class ProximalAdagrad(Rule):
    def initial(self, parameters):
        return {"accumulator": parameters["initial_accumulator_value"]}

    def moved(
        self,
        state,
        w,
        g,
        learning_rate,
        initial_accumulator_value,
        l1_regularization_strength,
        l2_regularization_strength,
    ):
        total = state["accumulator"] + g**2
        rate = learning_rate / np.sqrt(total)
        moved = shrunk(w - rate * g, rate, l1_regularization_strength, l2_regularization_strength)
        return {"accumulator": total}, moved
